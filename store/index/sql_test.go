package index

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/model"
)

const forever = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "

// SQLite looks whether it is interrupted between the steps of a query only, and one of its functions
// may take hours.
func TestAQueryEndsInTimeWhateverItAsks(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"rows":       forever + "SELECT x FROM c WHERE x < 0",
		"one value":  forever + "SELECT max(x) FROM c",
		"a function": "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(62500))||'1')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t).open()
			d.create("one", "text", "")
			d.update(false)
			ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer stop()
			answered := make(chan error, 1)
			go func() {
				_, err := d.x.Query(ctx, query, 10)
				answered <- err
			}()
			select {
			case err := <-answered:
				var r *model.Refusal
				if !errors.As(err, &r) || !strings.Contains(r.Why, "too long") {
					t.Fatal(err)
				}
			case <-time.After(3 * time.Minute):
				t.Fatal("it goes on")
			}
			if got := d.found("text"); got != "one" { // nothing waits for it
				t.Fatal(got)
			}
		})
	}
}

func TestAnAnswerThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t).open()
	d.update(false)
	_, err := d.x.Query(context.Background(), forever+"SELECT zeroblob(8000000) FROM c", 1000)
	var r *model.Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Why, "MiB") {
		t.Fatal(err)
	}
}
