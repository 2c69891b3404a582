package replay_test

// exams are the real data sets that have an oracle. quick is the number of persons that
// are replayed unless everything is asked for; 0 means all of them.
var exams = []struct {
	folder string
	quick  int
}{
	{"hci", 0},
	{"iqitems", 300},
	{"fims", 300},
	{"swesat_q", 200},
	{"medical_mrq", 60},
	{"credential1", 60},
}
