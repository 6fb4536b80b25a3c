-- A member reads who was given access to their mailboxes, however long the audit trail of their organization is.
create index audit_entries_of_access on audit_entries (organization_id, item_id, id)
  where action = 'mailbox.access_changed';
