// Library: how recordings enter and leave the catalogue: fetches, feeds, links of video sites, lists of other players,
// exchange with other computers, backups.
//
// The module knows neither terminals nor network transfers (see `Transfers`).
