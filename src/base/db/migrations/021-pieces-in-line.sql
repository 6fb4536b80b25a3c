-- Most messages have some KiB: in the row itself they take one write in place of one for each 2 KiB and its index entry.
-- What lies here stays for minutes, and is read and removed a row at a time.

alter table outbound_pieces set (toast_tuple_target = 8160);
alter table scheduled_pieces set (toast_tuple_target = 8160);
