// Package config reads the files that a person writes for vespe: config.toml, keys.toml and themes/*.toml in
// $XDG_CONFIG_HOME/vespe (~/.config/vespe). They are never in a store, which other people and agents write to.
//
// A file that isn't there is no error. A rule that can't be read is never looser than one that can: while config.toml has
// an invalid line that a safety decision depends on, the strictest rule holds (Config.Strict says which, and why).
// Everything else that is invalid is reported and left at its default.
package config
