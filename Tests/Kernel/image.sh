#!/usr/bin/env bash
# Makes vmlinuz and initrd.gz in a folder: the kernel of the distribution with its sound drivers, busybox, alsa-utils,
# the command, the USB card in user space, and the tools that make a disk whose writes are logged. Also makes
# servers.gz, which has PipeWire besides, for the job that needs PipeWire.
#
#   Tests/Kernel/image.sh FOLDER COMMAND
#
# The kernel is fetched once; making everything else anew takes a few seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
woodshed=$(readlink -f "$2")
mkdir -p "$folder"
cd "$folder"
folder=$PWD

if [ ! -e vmlinuz ]; then
    # The kernel for clouds has no sound.
    package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -n "$package" ] || { echo "kernel: the distribution names no kernel; its package lists may be missing: apt-get update" >&2 && exit 1; }
    rm -rf kernel
    # Root downloads as itself: apt's own user may not be able to write here, and says so.
    apt-get -o APT::Sandbox::User=root download "$package" >/dev/null
    dpkg-deb -x "$package"_*.deb kernel
    rm -f "$package"_*.deb
    depmod -b "$folder/kernel" "$(ls kernel/lib/modules)"
    cp kernel/boot/vmlinuz-* vmlinuz.part
    mv vmlinuz.part vmlinuz
fi
release=$(ls kernel/lib/modules)

root=$folder/root
rm -rf "$root"
mkdir -p "$root"/{bin,sbin,dev,proc,sys,tmp,run,etc,rig,root,usr/share,lib,lib64,var}
cp /bin/busybox "$root/bin/busybox"
for tool in $("$root/bin/busybox" --list); do [ "$tool" = busybox ] || ln -s busybox "$root/bin/$tool"; done
# The kernel calls modprobe for the codecs of a card.
ln -s ../bin/busybox "$root/sbin/modprobe"

# Every library that a program is linked with.
add_libraries() {
    local library
    { ldd "$1" 2>/dev/null || true; } | { grep -o '/[^ ]*' || true; } | sort -u | while read -r library; do
        case $library in "$root"/*) continue ;; esac
        mkdir -p "$root$(dirname "$library")"
        [ -e "$root$library" ] || cp -L "$library" "$root$library"
    done
}
# A program, and its libraries.
add() {
    local program
    program=$(command -v "$1" || echo "$1")
    rm -f "$root/bin/$(basename "$program")"
    cp -L "$program" "$root/bin/"
    add_libraries "$program"
}
for program in bash aplay amixer mkfs.ext4 dmsetup; do add "$program"; done
# The command loads the library on demand.
library=$(/sbin/ldconfig -p | sed -n 's/.*libsqlite3.so.0 .*=> //p' | head -n 1)
[ -z "$library" ] || { mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"; }
ln -s aplay "$root/bin/arecord"
strip -o woodshed "$woodshed"
add "$folder/woodshed"
"${CC:-gcc}" -O1 -std=gnu11 -Wall -Wextra -Werror -o replay "$here/guest/replay.c"
add "$folder/replay"
"${CC:-gcc}" -O1 -std=gnu11 -Wall -Wextra -Werror -o usbcard "$here"/guest/usbcard/*.c
add "$folder/usbcard"
"${CC:-gcc}" -O1 -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -o "$root/lib/no-mmap.so" "$here/guest/no-mmap.c"
cp -rL /usr/share/alsa "$root/usr/share/alsa"
plugins=$(dirname "$(ldd /usr/bin/aplay | grep -o '/[^ ]*libasound[^ ]*')")/alsa-lib
[ ! -d "$plugins" ] || { mkdir -p "$root$(dirname "$plugins")" && cp -rL "$plugins" "$root$plugins"; }
echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"
printf 'root:x:0:\naudio:x:29:\n' >"$root/etc/group"

# The modules to load, and their dependencies.
mkdir -p "$root/lib/modules/$release"
cp kernel/lib/modules/"$release"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$release/"
for module in virtio_pci 9pnet_virtio 9p snd_hda_intel snd_hda_codec_generic snd_usb_audio snd_aloop snd_dummy xhci_pci xhci_hcd vhci_hcd \
    dm_log_writes ext4 crc32c_generic loop; do
    /sbin/modprobe -d "$folder/kernel" -S "$release" --show-depends "$module" 2>/dev/null || true
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r path; do
    relative=${path#"$folder"/kernel/}
    mkdir -p "$root/$(dirname "$relative")"
    cp "$path" "$root/$relative"
done
depmod -b "$root" "$release"
install -m 755 "$here/guest/init" "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >initrd.part
mv initrd.part initrd.gz
# shellcheck source=Tests/Kernel/servers.sh
. "$here/servers.sh"
