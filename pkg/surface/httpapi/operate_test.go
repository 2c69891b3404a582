package httpapi

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommasJoinTheValuesOfAList(t *testing.T) {
	t.Parallel()
	var input struct {
		Kinds []string
		Name  string
	}
	v := reflect.ValueOf(&input).Elem()
	for field, text := range map[string]string{"Kinds": "a,b", "Name": "a,b"} {
		err := set(v.FieldByName(field), text)
		if err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, input.Kinds); diff != "" || input.Name != "a,b" {
		t.Errorf("name %q, kinds (-want +got):\n%s", input.Name, diff)
	}
}
