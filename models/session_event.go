package models

// The kinds of runtime events (decisions, section 4).
const (
	EventFocusLost       = "focus_lost"
	EventFocusGained     = "focus_gained"
	EventFullscreenExit  = "fullscreen_exit"
	EventFullscreenEnter = "fullscreen_enter"
	EventCopy            = "copy"
	EventPaste           = "paste"
	EventNetworkLost     = "network_lost"
	EventNetworkRestored = "network_restored"
	EventHeartbeat       = "heartbeat"
)
