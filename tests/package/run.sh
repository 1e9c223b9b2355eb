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

for package in "$folder"/svrmu_*.deb "$folder"/libsvrmu0_*.deb; do
  depends=$(dpkg-deb -f "$package" Depends)
  for library in libc6 libhdf5 libpng zlib1g; do
    [[ $depends == *$library* ]] || { echo "$package does not depend on $library: $depends"; exit 1; }
  done
done

# A root of its own: what the packages depend on is this system's, and unknown there.
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers}
touch "$root/var/lib/dpkg/"{status,available}
in_root() { dpkg --root="$root" --log=/dev/null --force-not-root --force-script-chrootless --force-depends --force-bad-path "$@"; }
in_root --install "$folder"/*.deb >"$log" 2>&1 || { cat "$log"; exit 1; }

for file in bin/svrmu share/man/man1/svrmu.1 share/bash-completion/completions/svrmu share/zsh/site-functions/_svrmu \
  share/fish/vendor_completions.d/svrmu.fish share/doc/svrmu/copyright share/doc/libsvrmu0/copyright include/svrmu/svrmu.hpp include/svrmu/c.h; do
  [[ -s $root/usr/$file ]] || { echo "/usr/$file is missing"; exit 1; }
done

svrmu=$root/usr/bin/svrmu
cd "$root"
"$svrmu" --version
"$svrmu" generate swimmer -o swimmer.npy --quiet
"$svrmu" fit swimmer.npy -k 17 --epochs 3 --report swimmer.html --quiet
ls swimmer.svrmu.h5 swimmer.html
pc=$(dirname "$(find "$root/usr" -name svrmu.pc)")
for module in svrmu svrmu-io svrmu-experiment svrmu-report svrmu-c; do
  PKG_CONFIG_PATH=$pc pkg-config --exists --print-errors $module
done

echo '#include <svrmu/c.h>
#include <stdio.h>
int main(void) { return puts(svrmu_version()) < 0; }' >by_c.c
cc by_c.c -o by_c $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs svrmu-c)
LD_LIBRARY_PATH=$(dirname "$pc") ./by_c

in_root --remove svrmu libsvrmu-dev libsvrmu0 >"$log" 2>&1 || { cat "$log"; exit 1; }
[[ ! -e $root/usr ]] || { echo "left after removal:"; find "$root/usr"; exit 1; }
