// DesktopBus: what a player offers to the desktop, and what the desktop tells it. Media keys, headsets and panels control a player
// over the session bus (MPRIS), and the login manager tells on the system bus when the machine is about to sleep.
//
// libsystemd, which speaks on the bus, is loaded when it is first needed. The module does not know players: its owner gives it the values to
// show and gets the requests.
