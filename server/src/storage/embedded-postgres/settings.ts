/**
 * PostgreSQL's settings for one service on one machine: little memory when idle, few processes,
 * quick to start, nothing less durable.
 */

/**
 * Passed on the command line at each start, so that a newer version of the service brings its own.
 */
const settings: Record<string, string> = {
	max_connections: "100",
	shared_buffers: "48MB",
	huge_pages: "off",
	work_mem: "8MB",
	maintenance_work_mem: "32MB",
	effective_cache_size: "256MB",
	random_page_cost: "1.1",
	jit: "off",
	// Reads are served from the page cache: three I/O worker processes would cost memory for nothing.
	io_method: "sync",
	max_worker_processes: "4",
	max_parallel_workers: "2",
	max_parallel_workers_per_gather: "1",
	autovacuum_worker_slots: "4",
	autovacuum_max_workers: "2",
	fsync: "on",
	synchronous_commit: "on",
	// No replicas and no archive.
	wal_level: "minimal",
	max_wal_senders: "0",
	max_logical_replication_workers: "0",
	max_wal_size: "256MB",
	min_wal_size: "32MB",
	update_process_title: "off",
	// A statement's error goes to its client; the log is for the server's own life.
	log_min_messages: "log",
	log_min_error_statement: "panic",
	log_checkpoints: "off",
	log_autovacuum_min_duration: "-1",
	log_line_prefix: "%m [%p] ",
};

/** As arguments of the program `postgres`. */
export function buildSettingArguments(more: Record<string, string>): string[] {
	return Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
