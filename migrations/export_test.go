package migrations

// Read and UpOf let tests apply other files than the program's own.
var (
	Read = read
	UpOf = up
)
