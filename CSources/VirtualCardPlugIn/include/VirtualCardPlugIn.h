// The virtual card as a shared object that alsa-lib finds through its configuration:
//
//     pcm_type.virtual_card { lib "/path/to/libVirtualCardPlugIn.so" }
//     pcm.virtual { @args [ CARD ] @args.CARD { type string default "0" } type virtual_card card $CARD }
//
// Fields of the pcm are the options of virtual_card.h under the same names. The fields apply at the card's creation: at
// the first opening, unless a program has created the card before.
#ifndef WOODSHED_VIRTUAL_CARD_PLUG_IN_H
#define WOODSHED_VIRTUAL_CARD_PLUG_IN_H

// alsa-lib looks these up by name; programs do not call them.
int _snd_pcm_virtual_card_open(
    struct _snd_pcm **pcm, const char *name, struct _snd_config *root, struct _snd_config *configuration, int stream,
    int mode);

#endif
