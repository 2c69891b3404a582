package models

// Transition is one arrow of a diagram of states: what leads from one to the next. From is
// empty where something begins.
type Transition struct{ From, By, To string }
