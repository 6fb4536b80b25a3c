-- An event names its message by the id, too. Of a message that has left the place that its event names the id is not known: such an event
-- says nothing to who goes by ids, and is forgotten.
update events event set data = event.data || jsonb_build_object('id', message.id)
  || case when event.data ? 'moved_from'
    then jsonb_build_object('moved_from', event.data -> 'moved_from' || jsonb_build_object('id', message.id)) else '{}' end
  from mail_folders folder join mail_messages message on message.folder_id = folder.id
  where event.type in ('message.received', 'message.changed', 'message.deleted')
    and folder.mailbox_id = event.mailbox_id and folder.name = event.data ->> 'folder'
    and message.uid = (event.data ->> 'uid')::bigint;
delete from events
  where type in ('message.received', 'message.changed', 'message.deleted') and not data ? 'id';
