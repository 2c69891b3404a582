package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// The measurements of a machine differ from run to run, so only the shape is compared.
func TestDoctorSaysHowManyPeopleAMachineCarries(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var all, one Capacity
	for line, c := range map[string]*Capacity{"doctor capacity -o json": &all, "doctor capacity --people 500 --questions 40 --save-every 30s -o json": &one} {
		err := json.Unmarshal([]byte(d.must(line)), c)
		if err != nil || c.Machine.Processors < 1 || c.Carries < 1 {
			t.Errorf("%s gave %+v (%v)", line, c, err)
		}
	}
	if len(all.Exams) != len(usualCrowds) || all.Exams[len(usualCrowds)-1].Workers == 0 {
		t.Errorf("exams of %+v", all.Exams)
	}
	if len(one.Exams) != 1 || one.Exams[0].People != 500 || one.Exams[0].SavesPerSecond != 17 {
		t.Errorf("an exam of 500 needs %+v", one.Exams)
	}
	shown := d.run("doctor capacity --people 500")
	if !strings.Contains(shown.out.String(), "Saves/s") || !strings.Contains(shown.err.String(), "may take this exam") {
		t.Errorf("shown:\n%s\n%s", &shown.out, &shown.err)
	}
}

func TestDoctorCapacityRefusesWhatIsNoExam(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.say("doctor capacity --people -1", "doctor capacity --questions 0 --save-every 1ms", "doctor capacity --people many", "doctor capacity 500", "doctor capacty", "doctor --server https://localhost:1")
	d.check("doctor_capacity.txt")
}
