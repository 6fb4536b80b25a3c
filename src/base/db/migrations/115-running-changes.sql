-- Who asks for a change that runs already gets that one, of the organization's alone.
create index changes_running_in on changes (organization_id, at) where state = 'running';
