package lms

import (
	"crypto/x509"
	"encoding/pem"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
)

// SignedAs signs claims with the platform's key, under a name of the key; none if it is empty.
func (p *Platform) SignedAs(claims jwt.MapClaims, kid string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	if kid != "" {
		token.Header["kid"] = kid
	}
	return must(token.SignedString(p.key))
}

// SignedWithPublic takes the platform's public key for a shared secret.
func (p *Platform) SignedWithPublic(claims jwt.MapClaims) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	token.Header["kid"] = p.kid
	return must(token.SignedString(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(p.key.Public()))})))
}

// SignedText signs a text, which may be no JSON.
func (p *Platform) SignedText(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	signer := must(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: p.key}, (&jose.SignerOptions{}).WithHeader("kid", p.kid)))
	return must(must(signer.Sign([]byte(text))).CompactSerialize())
}

func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}
