// Library: how recordings come into the catalogue, and leave it: fetches, feeds, links of video sites, lists of other players, exchange with
// other computers, backups.
//
// The module knows no terminals, and not how bytes come over the network (`Transfers`).
