-- Somebody who lets a terminal in can pass on the proof that a link in a mail gave to their browser.
alter table magic_links drop constraint magic_links_proof_check;
alter table magic_links add constraint magic_links_proof_check check (proof in ('none', 'magic_link', 'oidc'));
