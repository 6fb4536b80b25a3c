-- The structure of a large message, as IMAP's BODYSTRUCTURE tells it, with the place of each part in its bytes: JSON that
-- src/formats/mime/entity/entity.ts describes, made when somebody first asks for it. To make it the whole message must be read.
create table mail_structures (
  organization_id uuid not null,
  content_id bigint primary key references mail_contents (id) on delete cascade,
  structure text not null
);
