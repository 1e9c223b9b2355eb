"""Structures and functions of include/svrmu/c.h, for ctypes. A test compares them with the header."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, Tuple

OK = 0
INTERNAL_ERROR = 1
INVALID_INPUT = 2
INVALID_DATA = 3
IO_ERROR = 4
OUT_OF_MEMORY = 6
RUNNING = 7
CANCELLED = 130

FLOAT32 = 1
FLOAT64 = 2

BY_COLUMNS = 1
BY_ROWS = 2

c_enum = ctypes.c_int


class Dense(Structure):
    """svrmu_dense"""

    _fields_ = [
        ("data", c_void_p),
        ("type", c_enum),
        ("rows", c_int64),
        ("columns", c_int64),
        ("row_stride", c_int64),
        ("column_stride", c_int64),
    ]


class Sparse(Structure):
    """svrmu_sparse"""

    _fields_ = [
        ("rows", c_int64),
        ("columns", c_int64),
        ("stored", c_int64),
        ("layout", c_enum),
        ("type", c_enum),
        ("offset_bytes", c_int32),
        ("index_bytes", c_int32),
        ("offsets", c_void_p),
        ("indices", c_void_p),
        ("values", c_void_p),
    ]


ReadFunction = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_int64, c_int64, c_void_p)


class Reader(Structure):
    """svrmu_reader"""

    _fields_ = [
        ("type", c_enum),
        ("rows", c_int64),
        ("columns", c_int64),
        ("read", ReadFunction),
        ("context", c_void_p),
    ]


class OptionInfo(Structure):
    """svrmu_option_info"""

    _fields_ = [
        ("name", c_char_p),
        ("flag", c_char_p),
        ("type", c_char_p),
        ("value", c_char_p),
        ("choices", c_char_p),
        ("help", c_char_p),
        ("least", c_double),
        ("most", c_double),
    ]


class AlgorithmInfo(Structure):
    """svrmu_algorithm_info"""

    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("presets", c_char_p),
        ("outliers", c_int32),
        ("streams", c_int32),
    ]


class MatrixFacts(Structure):
    """svrmu_matrix_facts"""

    _fields_ = [
        ("features", c_int64),
        ("samples", c_int64),
        ("stored", c_int64),
        ("type", c_enum),
        ("sparse", c_int32),
        ("copied_bytes", c_int64),
    ]


class Texts(Structure):
    """svrmu_texts"""

    _fields_ = [("bytes", c_void_p), ("ends", POINTER(c_int64)), ("count", c_int64)]


class Record(Structure):
    """svrmu_record"""

    _fields_ = [
        ("epoch", c_int64),
        ("run", c_int64),
        ("objective", c_double),
        ("cost", c_double),
        ("relative_error", c_double),
        ("relative_change", c_double),
        ("kkt", c_double),
        ("gradient_count", c_double),
        ("columns_read", c_int64),
        ("solver_seconds", c_double),
        ("evaluate_seconds", c_double),
        ("step", c_double),
        ("rollbacks", c_int64),
        ("rolled_back", c_int32),
        ("estimated", c_int32),
        ("partial", c_int32),
        ("unused", c_int32),
        ("violation", c_double),
    ]


class Transformed(Structure):
    """svrmu_transformed"""

    _fields_ = [("H", Dense), ("outliers", Sparse), ("unfinished", c_int64)]


class Plan(Structure):
    """svrmu_plan"""

    _fields_ = [
        ("algorithm", c_char_p),
        ("reason", c_char_p),
        ("start", c_char_p),
        ("bytes", c_double),
        ("nonzeros", c_double),
        ("least", c_double),
        ("most", c_double),
        ("mean", c_double),
        ("empty_features", c_int64),
        ("empty_samples", c_int64),
        ("options", Texts),
        ("warnings", Texts),
    ]


class ModelFacts(Structure):
    """svrmu_model_facts"""

    _fields_ = [
        ("features", c_int64),
        ("rank", c_int64),
        ("samples", c_int64),
        ("type", c_enum),
        ("has_outliers", c_int32),
        ("can_resume", c_int32),
        ("unused", c_int32),
        ("seed", c_uint64),
        ("returned", c_int64),
        ("records", c_int64),
        ("columns_seen", c_int64),
        ("null_cost", c_double),
        ("explained", c_double),
    ]


_handle = c_void_p
_new = POINTER(c_void_p)
_count = POINTER(c_int64)
_bytes = POINTER(c_void_p)
_start = (c_enum, (_handle, _handle, _new))
_start_from = (c_enum, (_handle, _handle, _handle, _new))

FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "svrmu_version": (c_char_p, ()),
    "svrmu_message": (c_char_p, ()),
    "svrmu_list_options": (c_enum, (c_char_p, POINTER(OptionInfo), c_size_t, c_int64, _count)),
    "svrmu_list_algorithms": (c_enum, (POINTER(AlgorithmInfo), c_size_t, c_int64, _count)),
    "svrmu_options_new": (c_enum, (_new,)),
    "svrmu_options_set": (c_enum, (_handle, c_char_p, c_char_p)),
    "svrmu_options_set_dense": (c_enum, (_handle, c_char_p, POINTER(Dense))),
    "svrmu_options_free": (None, (_handle,)),
    "svrmu_matrix_dense": (c_enum, (POINTER(Dense), _new)),
    "svrmu_matrix_sparse": (c_enum, (POINTER(Sparse), _new)),
    "svrmu_matrix_reader": (c_enum, (POINTER(Reader), _new)),
    "svrmu_matrix_read": (c_enum, (c_char_p, _handle, _new)),
    "svrmu_matrix_free": (None, (_handle,)),
    "svrmu_matrix_get_facts": (c_enum, (_handle, POINTER(MatrixFacts), c_size_t)),
    "svrmu_matrix_get_texts": (c_enum, (_handle, c_char_p, POINTER(Texts))),
    "svrmu_start_fit": _start,
    "svrmu_start_resume": _start_from,
    "svrmu_start_stream": _start,
    "svrmu_start_update": _start_from,
    "svrmu_start_transform": _start_from,
    "svrmu_start_transform_by": (c_enum, (_handle, POINTER(Dense), _handle, _new)),
    "svrmu_start_plan": _start,
    "svrmu_job_wait": (c_enum, (_handle, c_double)),
    "svrmu_job_stop": (None, (_handle,)),
    "svrmu_job_progress": (c_enum, (_handle, c_int64, c_void_p, c_size_t, c_int64, _count)),
    "svrmu_job_take_model": (c_enum, (_handle, _new)),
    "svrmu_job_get_transformed": (c_enum, (_handle, POINTER(Transformed), c_size_t)),
    "svrmu_job_get_plan": (c_enum, (_handle, POINTER(Plan), c_size_t)),
    "svrmu_job_free": (None, (_handle,)),
    "svrmu_model_get_facts": (c_enum, (_handle, POINTER(ModelFacts), c_size_t)),
    "svrmu_model_get_dense": (c_enum, (_handle, c_char_p, POINTER(Dense))),
    "svrmu_model_get_sparse": (c_enum, (_handle, c_char_p, POINTER(Sparse))),
    "svrmu_model_get_history": (c_enum, (_handle, c_int64, c_void_p, c_size_t, c_int64, _count)),
    "svrmu_model_get_texts": (c_enum, (_handle, c_char_p, POINTER(Texts))),
    "svrmu_model_set_texts": (c_enum, (_handle, c_char_p, POINTER(Texts))),
    "svrmu_model_save": (c_enum, (_handle, c_char_p, c_int32)),
    "svrmu_model_load": (c_enum, (c_char_p, _new)),
    "svrmu_model_to_bytes": (c_enum, (_handle, _bytes, POINTER(c_size_t))),
    "svrmu_model_from_bytes": (c_enum, (c_char_p, c_size_t, _new)),
    "svrmu_model_report": (c_enum, (_handle, _handle, _handle, _bytes, POINTER(c_size_t))),
    "svrmu_bytes_free": (None, (c_void_p,)),
    "svrmu_model_free": (None, (_handle,)),
}
