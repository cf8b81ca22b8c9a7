package markdown

// Cache keeps rendered units between documents, so that a plan that changed in one place is
// rendered anew in that place only. A key holds the source itself and not a hash of it: a
// document must not be able to show the rendering of another by a collision. It is not safe
// for concurrent use.
type Cache struct {
	now, old map[cacheKey][]line
	limit    int
}

// cacheLimit is how many units each of the two generations holds: a few thousand lines.
const cacheLimit = 6000

// NewCache makes an empty cache. Documents that share one must be used by one goroutine.
func NewCache() *Cache {
	return &Cache{now: map[cacheKey][]line{}, limit: cacheLimit}
}

func (c *Cache) get(k cacheKey) ([]line, bool) {
	if l, ok := c.now[k]; ok {
		return l, true
	}
	if l, ok := c.old[k]; ok {
		c.put(k, l)
		return l, true
	}
	return nil, false
}

func (c *Cache) put(k cacheKey, l []line) {
	if len(c.now) >= c.limit {
		c.old, c.now = c.now, make(map[cacheKey][]line, c.limit)
	}
	c.now[k] = l
}
