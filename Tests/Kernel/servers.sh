# Read by image.sh: makes servers.gz, the image with PipeWire, WirePlumber and udev, with Debian's own configuration.
# The packages are unpacked, not installed, because this machine's own sound must stay unchanged. Without the packages
# there is no servers.gz, and the job that needs the image reports that.
# shellcheck shell=bash disable=SC2154 # $here, $folder and add_libraries are image.sh's
rm -f servers.gz
packages=(pipewire pipewire-bin libpipewire-0.3-modules libspa-0.2-modules pipewire-alsa wireplumber udev
    dbus-daemon dbus-session-bus-common dbus-bin)
if ! said=$("$here/../../scripts/tests/unpack.sh" --named "$folder/packages" "${packages[@]}"); then
    echo "kernel: no image with PipeWire: ${said##*$'\n'}" >&2
    return 0
fi
root=$folder/root-servers
rm -rf "$root"
mkdir -p "$root"
cp -a packages/{bin,etc,lib,usr} "$root/"
rm -rf "$root"/usr/share/{doc,man,locale,bug,lintian,initramfs-tools,*-completion*,zsh} "$root"/lib/udev/hwdb.d "$root"/etc/init.d
# The libraries of the packages installed on this machine.
find "$root" -type f \( -perm -u+x -o -name '*.so*' \) | while read -r file; do
    LD_LIBRARY_PATH=$(dirname "$(find "$root/usr/lib" -name 'libwireplumber-*')") add_libraries "$file"
done
(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 | cat initrd.gz - >servers.part
mv servers.part servers.gz
