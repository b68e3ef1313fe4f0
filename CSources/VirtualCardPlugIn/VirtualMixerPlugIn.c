// A mixer for alsa-lib's simple mixer interface, without a card: the values of its elements are in the configuration.
//
//   ctl.NAME { type virtual_mixer elements { "Master Playback Switch" 0 "Master Playback Volume" 70 } }
//
// Switches are 0 or 1, all other elements 0 to 100; each has one channel.
#ifndef PIC
#define PIC 1
#endif
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT_LIMIT 16

struct mixer {
    snd_ctl_ext_t ext;
    int count;
    struct {
        char name[44];
        long value;
    } elements[ELEMENT_LIMIT];
};

static int is_switch(const struct mixer *mixer, snd_ctl_ext_key_t key) {
    return strstr(mixer->elements[key].name, "Switch") != NULL;
}

static void close_mixer(snd_ctl_ext_t *ext) { free(ext->private_data); }

static int count_elements(snd_ctl_ext_t *ext) { return ((struct mixer *)ext->private_data)->count; }

static int list_element(snd_ctl_ext_t *ext, unsigned offset, snd_ctl_elem_id_t *id) {
    const struct mixer *mixer = ext->private_data;
    if (offset >= (unsigned)mixer->count) return -EINVAL;
    snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
    snd_ctl_elem_id_set_name(id, mixer->elements[offset].name);
    return 0;
}

static snd_ctl_ext_key_t find_element(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
    const struct mixer *mixer = ext->private_data;
    const unsigned number = snd_ctl_elem_id_get_numid(id);
    if (number > 0 && number <= (unsigned)mixer->count) return number - 1;
    for (int index = 0; index < mixer->count; index++)
        if (strcmp(mixer->elements[index].name, snd_ctl_elem_id_get_name(id)) == 0) return (snd_ctl_ext_key_t)index;
    return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int describe_element(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned *access, unsigned *count) {
    *type = is_switch(ext->private_data, key) ? SND_CTL_ELEM_TYPE_BOOLEAN : SND_CTL_ELEM_TYPE_INTEGER;
    *access = SND_CTL_EXT_ACCESS_READWRITE;
    *count = 1;
    return 0;
}

static int describe_range(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *low, long *high, long *step) {
    *low = 0;
    *high = is_switch(ext->private_data, key) ? 1 : 100;
    *step = 1;
    return 0;
}

static int read_element(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
    *value = ((struct mixer *)ext->private_data)->elements[key].value;
    return 0;
}

// Values only change through the configuration.
static int read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned *mask) {
    (void)ext, (void)id, (void)mask;
    return -EAGAIN;
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = close_mixer,
    .elem_count = count_elements,
    .elem_list = list_element,
    .find_elem = find_element,
    .get_attribute = describe_element,
    .get_integer_info = describe_range,
    .read_integer = read_element,
    .read_event = read_event,
};

static int read_elements(struct mixer *mixer, snd_config_t *elements) {
    snd_config_iterator_t iterator, next;
    snd_config_for_each(iterator, next, elements) {
        snd_config_t *node = snd_config_iterator_entry(iterator);
        const char *name;
        if (mixer->count == ELEMENT_LIMIT || snd_config_get_id(node, &name) < 0) return -EINVAL;
        if (strlen(name) >= sizeof mixer->elements[0].name) return -EINVAL;
        if (snd_config_get_integer(node, &mixer->elements[mixer->count].value) < 0) return -EINVAL;
        strcpy(mixer->elements[mixer->count++].name, name);
    }
    return 0;
}

SND_CTL_PLUGIN_DEFINE_FUNC(virtual_mixer) {
    (void)root;
    snd_config_t *elements;
    if (snd_config_search(conf, "elements", &elements) < 0) return -EINVAL;
    struct mixer *mixer = calloc(1, sizeof *mixer);
    if (!mixer) return -ENOMEM;
    int error = read_elements(mixer, elements);
    if (error == 0) {
        mixer->ext.version = SND_CTL_EXT_VERSION;
        mixer->ext.poll_fd = -1;
        mixer->ext.callback = &callbacks;
        mixer->ext.private_data = mixer;
        strcpy(mixer->ext.id, "virtual");
        strcpy(mixer->ext.driver, "virtual");
        strcpy(mixer->ext.name, "virtual mixer");
        strcpy(mixer->ext.longname, "virtual mixer");
        strcpy(mixer->ext.mixername, "virtual mixer");
        error = snd_ctl_ext_create(&mixer->ext, name, mode);
    }
    if (error < 0) {
        free(mixer);
        return error;
    }
    *handlep = mixer->ext.handle;
    return 0;
}
SND_CTL_PLUGIN_SYMBOL(virtual_mixer);
