package models

// Transition is one arrow of a diagram of states: the step that leads from one state to
// the next. From is empty if something begins.
type Transition struct{ From, By, To string }
