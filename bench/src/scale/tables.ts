/**
 * The big tables of a year with 200 users and 500 hourly schedules: for each, the statement that
 * writes rows $1 to $2 of $3. $4 is the start of the year, $5 the user ids. An id is a table's mark
 * plus the row number, so rows can reference each other.
 */

export const QUERIES = 1_000;
export const CONNECTIONS = 8;
export const TASKS = 500;
export const USERS = 200;

export interface BigTable {
	readonly name: string;
	/** Of so many rows in `SHARES`. */
	readonly share: number;
	readonly insert: string;
}

/** An id in the form of those that the service makes (UUID version 7). */
export const buildIdSql = (mark: string, number: string | number): string =>
	`('00000000-0000-7${mark}-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** g: row number; r: pseudo-random number; at: time, spread over the year. */
const ROWS = `from (
	select g, (hashint8(g) & 2147483647) as r, $4::timestamptz + (g::float8 / $3::float8) * interval '365 days' as at
	from generate_series($1::bigint, $2::bigint) g
) row where cardinality($5::integer[]) > 0`;

const buildUserSql = (number: string) => `($5::integer[])[1 + ${number} % ${USERS}]`;
const buildQueryIdSql = (number: string) => buildIdSql("001", `1 + ${number} % ${QUERIES}`);
const buildConnectionIdSql = (number: string) => buildIdSql("002", `1 + ${number} % ${CONNECTIONS}`);
const buildTaskIdSql = (number: string) => buildIdSql("003", `1 + ${number} % ${TASKS}`);
const pickOne = (values: readonly string[], number: string) =>
	`(array[${values.map((value) => `'${value}'`).join(", ")}])[1 + ${number} % ${values.length}]`;

const CATEGORIES = [
	...["query_execution", "query_execution", "query_execution", "query_execution", "time_machine", "time_machine"],
	...[
		"authentication",
		"query_management",
		"task_management",
		"automation_execution",
		"settings_change",
		"mim_explorer",
	],
];

export const BIG_TABLES: readonly BigTable[] = [
	{
		name: "audit_log",
		share: 300,
		insert: `insert into audit_log (category, action, user_id, username, ip_address, user_agent, description, target_type, target_id,
				metadata, request_id, created_at)
			select ${pickOne(CATEGORIES, "r")}, ${pickOne(CATEGORIES, "r")} || '_' || r / 7 % 3, ${buildUserSql("r / 3")},
				'person-' || 1 + r / 3 % ${USERS},
				'10.0.' || r % 200 || '.' || r % 250, 'Mozilla/5.0 (X11; Linux x86_64)',
				${pickOne(["signed in to", "changed the saved query", "ran the query", "captured a snapshot of"], "r / 11")}
					|| ' Tenants of fabric ' || r % 1000 || ' number ' || g,
				'saved_query', ${buildQueryIdSql("r")}::text, '{"fields": ["name", "description"]}', ${buildIdSql("0a0", "g")}::text, at ${ROWS}`,
	},
	{
		name: "login_attempts",
		share: 20,
		insert: `insert into login_attempts (id, username, username_key, success, failure_reason, ip_address, attempted_at)
			select ${buildIdSql("0a1", "g")}, 'person-' || 1 + r % ${USERS}, 'person-' || 1 + r % ${USERS}, r % 20 > 0,
				case when r % 20 = 0 then 'invalid_credentials' end, '10.0.' || r % 200 || '.' || r % 250, at ${ROWS}`,
	},
	{
		name: "execution_logs",
		share: 180,
		insert: `insert into execution_logs (id, query_id, query_name, user_id, username, executed_at, execution_time_ms, result_count, success,
				error_message)
			select ${buildIdSql("0a2", "g")}, ${buildQueryIdSql("r")}, 'query ' || 1 + r % ${QUERIES}, ${buildUserSql("r")},
				'person-' || 1 + r % ${USERS}, at,
				r / 5 % 20000, r / 7 % 5000, r % 50 > 0, case when r % 50 = 0 then 'The controller did not answer in time.' end ${ROWS}`,
	},
	{
		name: "pipeline_jobs",
		share: 110,
		insert: `insert into pipeline_jobs (id, owner_id, status, controller_connection_id, controller_connection_name,
			saved_query_id, query_name,
				query_version, result_stages, total_stages, completed_stages, progress, total_rows, created_at, started_at, completed_at,
				results_purged_at, enqueued_at, last_frame)
			select ${buildIdSql("0a3", "g")}, ${buildUserSql("r")}, case when r % 50 = 0 then 'failed' else 'completed' end,
				${buildConnectionIdSql("r")},
				'Fabric ' || 1 + r % ${CONNECTIONS}, ${buildQueryIdSql("r")}, 'query ' || 1 + r % ${QUERIES}, '1.0', '{0}', 1, 1,
				100, r % 5000, at, at,
				at + interval '3 seconds', at + interval '8 days', at, 4 ${ROWS}`,
	},
	{
		name: "pipeline_stages",
		share: 110,
		insert: `insert into pipeline_stages (job_id, index, node_ids, class_name, status, result_count, request_count, started_at, completed_at)
			select ${buildIdSql("0a3", "g")}, 0, '{a}', 'fvTenant', 'completed', r % 5000, 2, at, at + interval '3 seconds' ${ROWS}`,
	},
	{
		name: "scheduled_runs",
		share: 100,
		insert: `insert into scheduled_runs (id, task_id, due_at, state, outcome, created_at, finished_at)
			select ${buildIdSql("0a4", "g")}, ${buildTaskIdSql("g")}, at, 'finished', 'success', at, at + interval '4 seconds' ${ROWS}`,
	},
	{
		name: "scheduled_executions",
		share: 100,
		insert: `insert into scheduled_executions (id, run_id, task_id, connection_id, connection_name, retry_attempt, status, result_count,
				pipeline_job_id, snapshot_id, created_at, started_at, completed_at, watched_at)
			select ${buildIdSql("0a5", "g")}, ${buildIdSql("0a4", "g")}, ${buildTaskIdSql("g")}, ${buildConnectionIdSql("g")},
				'Fabric ' || 1 + g % ${CONNECTIONS}, 0,
				case when r % 50 = 0 then 'failed' else 'success' end, r % 5000, ${buildIdSql("0a3", "g")}, ${buildIdSql("0a6", "g")}, at, at,
				at + interval '4 seconds', at ${ROWS}`,
	},
	{
		name: "snapshots",
		share: 80,
		insert: `insert into snapshots (id, history_id, position, saved_query_id, query_name, class_name, query_version, query_version_hash,
				controller_connection_id, controller_connection_name, execution_type, executed_at, executed_by_id, executed_by, result_count,
				loose_count, result_size_bytes, result_hash, is_duplicate, has_changes)
			select ${buildIdSql("0a6", "g")}, ${buildIdSql("0b0", `1 + g % ${TASKS}`)}, (g / ${TASKS})::integer,
				${buildQueryIdSql(`(g % ${TASKS})`)}, 'query ' || 1 + g % ${TASKS},
				'fvTenant', '1.0', md5('1'), ${buildConnectionIdSql("g")}, 'Fabric ' || 1 + g % ${CONNECTIONS}, 'scheduled', at,
				${buildUserSql(`(g % ${TASKS})`)},
				'person-' || 1 + g % ${TASKS} % ${USERS}, 500, 0, 250000, md5(g::text) || md5(r::text), false, r % 5 = 0 ${ROWS}`,
	},
	{
		name: "snapshot_manifests",
		share: 80,
		insert: `insert into snapshot_manifests (snapshot_id, segment_id, position, whole, payload, distinct_dns, loose_hash)
			select ${buildIdSql("0a6", "g")}, ${buildIdSql("0b1", `1 + g % ${TASKS}`)}, (g / ${TASKS})::integer, g / ${TASKS} % 64 = 0,
				case when r % 5 = 0 then decode(repeat(md5(g::text), 4), 'hex') end, true, decode(md5('loose'), 'hex') ${ROWS}`,
	},
	{
		name: "notifications",
		share: 30,
		insert: `insert into notifications (id, user_id, category, severity, title, body, key, read_at, created_at)
			select ${buildIdSql("0a7", "g")}, ${buildUserSql("r")},
				${pickOne(["scheduled_task", "time_machine", "automation_execution", "system"], "r / 3")},
				${pickOne(["info", "info", "warning", "error"], "r / 5")}, 'A task has ended', 'The task number ' || g || ' has ended.', 'row-' || g,
				case when r % 20 > 0 then at + interval '1 hour' end, at ${ROWS}`,
	},
	{
		name: "notification_deliveries",
		share: 15,
		insert: `insert into notification_deliveries (id, notification_id, user_id, channel, state, attempts, due_at,
			look_at, created_at, finished_at)
			select ${buildIdSql("0a8", "g")}, ${buildIdSql("0a7", "g")}, ${buildUserSql("r")}, 'email', 'delivered', 1, at, at,
				at, at + interval '2 seconds' ${ROWS}`,
	},
	{
		name: "automation_requests",
		share: 5,
		insert: `insert into automation_requests (id, title, status, template_name, template_snapshot, connection_id,
			connection_name, input_data,
				row_count, check_mode, requires_approval, requested_by_id, requested_by, requested_at, executions_total, finished_at, created_at,
				updated_at)
			select ${buildIdSql("0a9", "g")}, 'Change number ' || g, case when r % 20 = 0 then 'failed' else 'successful' end,
				'Template ' || r % 40, '{}',
				${buildIdSql("004", "1")}, 'Automation', '{"Sheet": [{"name": "row"}]}', 1, false, false, ${buildUserSql("r")},
				'person-' || 1 + r % ${USERS}, at, 1,
				at + interval '2 minutes', at, at ${ROWS}`,
	},
	{
		name: "automation_executions",
		share: 5,
		insert: `insert into automation_executions (id, request_id, connection_id, kind, server_template_id, reference,
			launch_state, job_id, job_type,
				job_created, launched_by_id, launched_by, check_mode, status, server_status, progress, started_at, finished_at, elapsed,
				output_complete, created_at, updated_at)
			select ${buildIdSql("0aa", "g")}, ${buildIdSql("0a9", "g")}, ${buildIdSql("004", "1")}, 'job', 7, 'weft-' || g,
				'launched', g::integer, 'job', at, ${buildUserSql("r")},
				'person-' || 1 + r % ${USERS}, false, case when r % 20 = 0 then 'failed' else 'successful' end, 'successful', 100, at,
				at + interval '2 minutes', 120, true, at, at ${ROWS}`,
	},
	{
		name: "automation_row_results",
		share: 30,
		insert: `insert into automation_row_results (execution_id, sheet, row_index, host, rank, message)
			select ${buildIdSql("0aa", "1 + g / 6")}, '', (g % 6)::integer, 'localhost', 1 + (r % 10 = 0)::integer, 'ok' ${ROWS}`,
	},
];

export const SHARES = BIG_TABLES.reduce((sum, { share }) => sum + share, 0);
