// Package gitmerge merges the files of a store where git merges: as its merge driver, and after it, where git left conflicts.
package gitmerge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/git"
	"vespe/store/gitfiles"
	"vespe/store/layout"
	"vespe/store/merge"
)

// Repository is the repository around a store, as far as merges go.
type Repository struct {
	Root    string
	Disk    *durable.Files
	Environ func() []string
	Trusted func() bool
	Lock    func(ctx context.Context) (release func(), err error)
	// Recorded says whether a text of a document, by its hash, is a revision of it.
	Recorded func(uid model.UID, doc model.Doc) (func(hash string) bool, error)
}

// Outcome is what Resolve has done.
type Outcome struct {
	Resolved []string // files whose conflicts it resolved, from the repository's root
	Left     []string // files of the store with conflicts that only a person resolves
	Busy     string   // what git has begun and not ended, as "a merge"
}

// Resolve resolves the conflicts that git has left in the store's files, and tells git so. A store outside of a repository
// has none.
func (r *Repository) Resolve(ctx context.Context) (m Outcome, err error) {
	repo, err := r.find(ctx)
	if errors.Is(err, git.ErrNoRepo) || errors.Is(err, git.ErrNoGit) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	base := repo.Prefix + layout.Name + "/"
	conflicts, err := repo.Unmerged(ctx, base, layout.MaxObject)
	if err != nil {
		return m, err
	}
	wrote := map[string][]byte{}
	for _, c := range conflicts {
		name := strings.TrimPrefix(c.Path, base)
		body, ok, err := r.file(name, c)
		if err != nil {
			return m, err
		}
		if !ok || layout.CheckTarget(name) != nil {
			m.Left = append(m.Left, c.Path)
			continue
		}
		if err := r.replace(ctx, name, body); err != nil {
			return m, err
		}
		wrote[c.Path] = body
		m.Resolved = append(m.Resolved, c.Path)
	}
	if err := r.again(ctx, repo, base, conflicts, wrote); err != nil {
		return m, err
	}
	if err := repo.Stage(ctx, wrote); err != nil {
		return m, err
	}
	m.Busy = repo.Busy()
	return m, nil
}

// again merges the files that git merged by lines beside its conflicts: what it makes of two lists may be no JSON,
// or hold a key twice. A file that somebody has edited since stays as it is. It adds what it writes to wrote.
func (r *Repository) again(ctx context.Context, repo *git.Repo, base string, conflicts []git.Unmerged, wrote map[string][]byte) error {
	if len(conflicts) == 0 {
		return nil
	}
	merged, err := repo.MergedByLines(ctx, base, conflicts, layout.MaxObject)
	if err != nil {
		return err
	}
	for _, c := range merged {
		name := strings.TrimPrefix(c.Path, base)
		body, ok, err := r.file(name, c)
		if err != nil {
			return err
		}
		if !ok || layout.CheckTarget(name) != nil || bytes.Equal(body, c.Merged) {
			continue
		}
		if now, err := r.Disk.FS.ReadFile(name, layout.MaxObject); err != nil || !bytes.Equal(now, c.Merged) {
			continue
		}
		if err := r.replace(ctx, name, body); err != nil {
			return err
		}
		wrote[c.Path] = body
	}
	return nil
}

// Marked resolves conflicts that somebody committed as git left them, with both sides in the file. Names are those of files
// below .vespe.
func (r *Repository) Marked(ctx context.Context, names []string) (resolved, left []string, err error) {
	for _, name := range names {
		text, err := r.Disk.FS.ReadFile(name, layout.MaxObject)
		if err != nil {
			return resolved, left, err
		}
		var body []byte
		ours, theirs, ok := model.ConflictSides(text)
		if ok && layout.CheckTarget(name) == nil {
			body, ok, err = r.file(name, git.Unmerged{Ours: ours, Them: theirs})
		}
		switch {
		case err != nil:
			return resolved, left, err
		case !ok || body == nil:
			left = append(left, layout.Shown(name))
			continue
		}
		if err := r.replace(ctx, name, body); err != nil {
			return resolved, left, err
		}
		resolved = append(resolved, layout.Shown(name))
	}
	return resolved, left, nil
}

// file merges a file. Of two texts of a document one may go only if each is a revision.
func (r *Repository) file(name string, c git.Unmerged) (body []byte, ok bool, err error) {
	if body, ok = merge.File(name, c.Base, c.Ours, c.Them); ok {
		return body, true, nil
	}
	dir, file := path.Split(name)
	uid := model.UID(path.Base(dir))
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if file != layout.DocFile(doc) || name != layout.TaskFile(uid, file) {
			continue
		}
		is, err := r.Recorded(uid, doc)
		return merge.Either(c.Ours, c.Them), err == nil && is(model.HashBytes(c.Ours)) && is(model.HashBytes(c.Them)), err
	}
	return nil, false, nil
}

// find is the repository around the store. A merge asks git, so somebody has to trust the store.
func (r *Repository) find(ctx context.Context) (*git.Repo, error) {
	switch {
	case !gitfiles.IsInGit(r.Root):
		return nil, git.ErrNoRepo
	case !r.Trusted():
		return nil, failure.New(model.CodeRefused, failure.GuardTrust, nil, nil, "run `vespe store trust` first", "this store isn't trusted, so vespe doesn't run git in it")
	}
	return git.Find(ctx, r.Environ(), r.Root)
}

// replace writes a file in which git has left both sides.
func (r *Repository) replace(ctx context.Context, name string, body []byte) error {
	release, err := r.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	tmp := r.Disk.TempName("merge")
	if err := r.Disk.WriteFile(tmp, body, true); err != nil {
		return err
	}
	return r.Disk.FS.Rename(tmp, name)
}

// Drive is git's merge driver: args are the files with the common ancestor, ours, which gets the result, and
// theirs, and the path of what is merged (%O %A %B %P). An error leaves the conflict to Resolve. Anybody may run
// it, so it writes no other file than one that has a name as git gives it, in the directory where git starts it.
func Drive(ctx context.Context, environ, args []string) error {
	if len(args) != 4 {
		return errors.New("expected four paths from git: %O %A %B %P")
	}
	at := strings.LastIndex("/"+args[3], "/"+layout.Name+"/")
	if at < 0 {
		return fmt.Errorf("%s isn't a store file", args[3])
	}
	var versions [3][]byte
	for i := range versions {
		if !strings.HasPrefix(args[i], gitTemporary) || strings.Contains(args[i], "/") {
			return fmt.Errorf("%s isn't a temporary file of git: only git runs this", args[i])
		}
		b, err := os.ReadFile(args[i])
		if err != nil {
			return err
		}
		versions[i] = b
	}
	name := args[3][at+len(layout.Name)+1:]
	body, ok := merge.File(name, versions[0], versions[1], versions[2])
	if ok {
		return replaceTemporary(args[1], body)
	}
	if path.Ext(name) == ".md" { // as git would leave it
		text, err := git.MergeText(ctx, environ, args[1], args[0], args[2])
		if err == nil {
			err = replaceTemporary(args[1], text)
		}
		return errors.Join(fmt.Errorf("both sides changed %s: run `vespe store merge --continue`", args[3]), err)
	}
	return fmt.Errorf("%s can't be merged by vespe", args[3])
}

const gitTemporary = ".merge_file_"

// replaceTemporary makes another file of git's temporary one, so that nothing that it may be a link to is written.
func replaceTemporary(name string, body []byte) error {
	f, err := os.CreateTemp(".", gitTemporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// driverSetting is the setting of git that names the merge driver.
const driverSetting = "merge.vespe.driver"

// LacksDriver says whether git should merge the store's files by vespe, as its .gitattributes say, and does not
// know how. In a store that is not trusted git is not asked.
func (r *Repository) LacksDriver(ctx context.Context) bool {
	b, err := r.Disk.FS.ReadFile(gitfiles.AttributesFile, layout.MaxJSON)
	if err != nil || !bytes.Contains(b, []byte("merge=vespe")) || !r.Trusted() {
		return false
	}
	repo, err := git.Find(ctx, r.Environ(), r.Root)
	if err != nil {
		return false
	}
	driver, err := repo.Setting(ctx, driverSetting)
	return err == nil && driver == ""
}

// SetDriver makes git merge the store's files in this clone by a program, which is vespe.
func (r *Repository) SetDriver(ctx context.Context, program string) error {
	if program == "" {
		return failure.New(model.CodeRefused, failure.GuardStore, nil, nil, "put vespe on the PATH", "can't find vespe's own path")
	}
	repo, err := r.find(ctx)
	if err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'" // git starts it by a shell
	return repo.Set(ctx, driverSetting, quoted+" merge %O %A %B %P")
}
