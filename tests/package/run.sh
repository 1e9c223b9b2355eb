#!/usr/bin/env bash
# run.sh BUILD FOLDER: makes the Debian packages of a finished build in FOLDER, installs them into a scratch root and runs the program.
# 77 (skipped) where dpkg is missing.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
for tool in dpkg dpkg-shlibdeps cpack file pkg-config; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool; make setup-package installs it"; exit 77; }
done

rm -f "$folder"/*.deb
log=$folder/cpack.log
(cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$folder") >"$log" 2>&1 || { cat "$log"; exit 1; }
rm -rf "$folder/_CPack_Packages"
ls "$folder"/*.deb

program=("$folder"/svrmu_*.deb)
depends=$(dpkg-deb -f "${program[0]}" Depends)
for library in libc6 libhdf5 libpng zlib1g; do
  [[ $depends == *$library* ]] || { echo "the package does not depend on $library: $depends"; exit 1; }
done

# A root of its own: what the packages depend on is this system's, and unknown there.
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers}
touch "$root/var/lib/dpkg/"{status,available}
in_root() { dpkg --root="$root" --log=/dev/null --force-not-root --force-script-chrootless --force-depends --force-bad-path "$@"; }
in_root --install "$folder"/*.deb >"$log" 2>&1 || { cat "$log"; exit 1; }

for file in bin/svrmu share/man/man1/svrmu.1 share/bash-completion/completions/svrmu share/zsh/site-functions/_svrmu \
  share/fish/vendor_completions.d/svrmu.fish share/doc/svrmu/copyright include/svrmu/svrmu.hpp; do
  [[ -s $root/usr/$file ]] || { echo "/usr/$file is missing"; exit 1; }
done

svrmu=$root/usr/bin/svrmu
cd "$root"
"$svrmu" --version
"$svrmu" generate swimmer -o swimmer.npy --quiet
"$svrmu" fit swimmer.npy -k 17 --epochs 3 --report swimmer.html --quiet
ls swimmer.svrmu.h5 swimmer.html
pc=$(dirname "$(find "$root/usr" -name svrmu.pc)")
for module in svrmu svrmu-io svrmu-experiment svrmu-report; do
  PKG_CONFIG_PATH=$pc pkg-config --exists --print-errors $module
done

in_root --remove svrmu libsvrmu-dev >"$log" 2>&1 || { cat "$log"; exit 1; }
[[ ! -e $root/usr ]] || { echo "left after removal:"; find "$root/usr"; exit 1; }
