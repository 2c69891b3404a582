package media_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

func (s *rack) setLocales(t *testing.T, in media.LocalesInput) (media.TenantLocales, error) {
	t.Helper()
	var got media.TenantLocales
	err := s.try(t, func(tx *db.Tx) error {
		var err error
		got, err = media.SetLocales(t.Context(), tx, in)
		return err
	})
	return got, err
}

func (s *rack) locales(t *testing.T) media.TenantLocales {
	t.Helper()
	var got media.TenantLocales
	s.write(t, func(tx *db.Tx) error {
		var err error
		got, err = media.GetLocales(t.Context(), tx)
		return err
	})
	return got
}

func TestLocalesAreReplacedAndNormalised(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	if got := s.locales(t); got.DefaultLocale != "" || len(got.Locales) != 0 || got.UpdatedAt != nil {
		t.Errorf("a new tenant has %+v", got)
	}
	set, err := s.setLocales(t, media.LocalesInput{DefaultLocale: "EN", Locales: []media.Locale{{Tag: "zh-hans-cn"}, {Tag: "en", Required: true}}})
	if err != nil {
		t.Fatal(err)
	}
	want := media.TenantLocales{DefaultLocale: "en", Locales: []media.Locale{{Tag: "zh-Hans-CN"}, {Tag: "en", Required: true}}, UpdatedAt: set.UpdatedAt}
	if diff := cmp.Diff(want, set); diff != "" {
		t.Errorf("answer: %s", diff)
	}
	if diff := cmp.Diff(want, s.locales(t)); diff != "" {
		t.Errorf("read: %s", diff)
	}
	_, err = s.setLocales(t, media.LocalesInput{})
	if got := s.locales(t); err != nil || len(got.Locales) != 0 {
		t.Errorf("none chosen again: %+v, error %v", got, err)
	}
}

func TestLocaleProblems(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	many := make([]media.Locale, 101)
	for _, tt := range []struct {
		name string
		in   media.LocalesInput
		want []string
	}{
		{"no default", media.LocalesInput{Locales: []media.Locale{{Tag: "en"}}}, []string{"defaultLocale required"}},
		{"default of nothing", media.LocalesInput{DefaultLocale: "en"}, []string{"defaultLocale missing_default_locale"}},
		{"default elsewhere", media.LocalesInput{DefaultLocale: "fr", Locales: []media.Locale{{Tag: "en"}}}, []string{"defaultLocale missing_default_locale"}},
		{"all at once", media.LocalesInput{DefaultLocale: "?", Locales: []media.Locale{{Tag: "english"}, {Tag: "de-ch"}, {Tag: "de-CH"}, {Tag: ""}}},
			[]string{"locales[0].tag invalid_locale", "locales[2].tag duplicate_locale", "locales[3].tag invalid_locale", "defaultLocale invalid_locale"}},
		{"too many", media.LocalesInput{DefaultLocale: "en", Locales: many}, []string{"locales too_many"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.setLocales(t, tt.in)
			wantCode(t, err, errs.ValidationFailed)
			var got []string
			for _, f := range errs.Of(err).Fields {
				got = append(got, f.Path+" "+f.Code)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLocalesOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	first, err := s.setLocales(t, media.LocalesInput{DefaultLocale: "en", Locales: []media.Locale{{Tag: "en"}}})
	if err != nil {
		t.Fatal(err)
	}
	replace := func(tag string) media.LocalesInput {
		return media.LocalesInput{DefaultLocale: tag, Locales: []media.Locale{{Tag: tag}}, UpdatedAt: first.UpdatedAt}
	}
	second := make(chan error, 1)
	s.write(t, func(tx *db.Tx) error {
		_, err := media.SetLocales(t.Context(), tx, replace("de"))
		go func() {
			second <- s.store.Write(t.Context(), s.scope, func(tx *db.Tx) error {
				_, err := media.SetLocales(t.Context(), tx, replace("fr"))
				return err
			})
		}()
		time.Sleep(200 * time.Millisecond)
		return err
	})
	wantCode(t, <-second, errs.StaleUpdate)
	if got := s.locales(t); len(got.Locales) != 1 || got.DefaultLocale != "de" || !got.UpdatedAt.After(*first.UpdatedAt) {
		t.Errorf("the languages are %+v", got)
	}
	before := time.Now()
	_, err = s.setLocales(t, media.LocalesInput{UpdatedAt: &before})
	wantCode(t, err, errs.StaleUpdate)
}
