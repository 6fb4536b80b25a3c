-- The host name of the process that started last. All have the same; one with another is told (src/app/server/host-name.ts).
alter table installation add column hostname text;
