/** Valid calls of the routes of queries, runs, checks, schedules and history. */
import type { Call, World } from "./valid-calls.ts";

export const buildCanvas = (className: string) => ({
	nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className } }],
	edges: [],
});
export const buildImdata = (descr: string) => ({
	totalCount: "1",
	imdata: [{ fvTenant: { attributes: { dn: "uni/tn-a", name: "a", descr } } }],
});

const GROUP_EXECUTIONS = "/api/queries/group-executions/";
const QUERIES = "/api/queries/saved-queries/";
const TASKS = "/api/queries/scheduled-tasks/";
const CHECKS = "/api/checks/";
const TIME = "/api/time-machine/";

const QUERY_FILE = `kind: query
name: From a file
flow_data: { nodes: [{ id: a, type: classNode, data: { className: fvCtx } }], edges: [] }
`;

/** In the order in which they are made. */
export const QUERY_CALLS: Readonly<Record<string, (world: World) => Call | Promise<Call>>> = {
	"query_categories.create": () => ({
		as: "user",
		path: "/api/queries/categories/",
		body: { name: "Spines", description: "and leaves", color: "#123456", icon: "switch" },
	}),
	"query_categories.replace": ({ category }) => ({
		as: "user",
		path: `/api/queries/categories/${category}/`,
		body: { name: "Fabrics 2", description: "both" },
	}),
	"query_categories.update": ({ category }) => ({
		as: "user",
		path: `/api/queries/categories/${category}/`,
		body: { description: "all of them", icon: "x" },
	}),
	"saved_queries.create": ({ category }) => ({
		as: "user",
		path: QUERIES,
		body: {
			name: "EPGs",
			description: "of all",
			flow_data: buildCanvas("fvAEPg"),
			category,
			tags_list: ["a", "b"],
			is_public: false,
			is_template: false,
			enable_time_machine: false,
			shared_with: [],
		},
	}),
	"saved_queries.validate_connection": () => ({
		as: "user",
		path: `${QUERIES}validate-connection/`,
		body: { parentClass: "fvTenant", childClass: "fvBD" },
	}),
	"saved_queries.replace": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/`,
		body: { name: "Tenants", description: "all", flow_data: buildCanvas("fvTenant"), enable_time_machine: true },
	}),
	"saved_queries.update": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/`,
		body: { description: "all tenants", tags_list: ["t"] },
	}),
	"saved_queries.version_preview": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/version-preview/`,
		body: { flow_data: buildCanvas("fvCtx") },
	}),
	"saved_queries.execute": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/execute/`,
		body: { success: true, result_count: 3, execution_time_ms: 5, error_message: "none", response_content: { a: 1 } },
	}),
	"query_files.validate": () => ({
		as: "user",
		path: "/api/queries/validate-files/",
		body: { files: [{ path: "queries/file.yaml", content: QUERY_FILE }] },
	}),
	"query_files.read": () => ({
		as: "user",
		path: "/api/queries/read-file/",
		body: { path: "queries/file.yaml", content: QUERY_FILE },
	}),
	"query_files.apply": () => ({
		as: "user",
		path: "/api/queries/apply/",
		body: { files: [{ path: "queries/file.yaml", content: QUERY_FILE }], dry_run: false, prune: false },
	}),
	"planning.import_requests": () => ({
		as: "user",
		path: "/api/queries/import-requests/",
		body: { text: "moquery -c fvTenant" },
	}),
	"pipelines.create": ({ connection, query }) => ({
		as: "user",
		path: "/api/queries/pipeline-executions/",
		body: { flow_data: buildCanvas("fvTenant"), controller_connection_id: connection, saved_query_id: query },
	}),
	"group_executions.create": ({ connection, query }) => ({
		as: "user",
		path: GROUP_EXECUTIONS,
		body: { saved_query_id: query, connection_ids: [connection] },
	}),
	"gallery.run": ({ connection }) => ({
		as: "user",
		path: "/api/queries/gallery/switches/run/",
		status: 202,
		body: { controller_connection_ids: [connection], variable_values: {} },
	}),
	"gallery.save": () => ({
		as: "user",
		path: "/api/queries/gallery/switches/save/",
		body: { name: "Switches of the gallery", enable_time_machine: false },
	}),
	"gallery.watch": ({ connection }) => ({
		as: "user",
		path: "/api/queries/gallery/switches/watch/",
		body: {
			name: "Switches that are watched",
			controller_connection_ids: [connection],
			schedule: { frequency: "hourly", minute_of_hour: 0 },
		},
	}),
	"find.start_live": ({ connection }) => ({
		as: "user",
		path: "/api/find/live/",
		status: 202,
		body: { q: "10.1.1.1", controller_connection_ids: [connection] },
	}),
	"planning.generate_query": () => ({
		as: "user",
		path: `${QUERIES}generate-query/`,
		body: { flow_data: buildCanvas("fvTenant") },
	}),
	"planning.preview": ({ connection }) => ({
		as: "user",
		path: `${QUERIES}preview/`,
		status: 502,
		body: { flow_data: buildCanvas("fvTenant"), node_id: "a", controller_connection_id: connection },
	}),
	"background_runs.start": ({ connection, query }) => ({
		as: "user",
		path: `${QUERIES}${query}/execute_background/`,
		status: 202,
		body: { controller_connection_id: connection },
	}),
	"checks.create": ({ connection, query }) => ({
		as: "user",
		path: CHECKS,
		body: {
			name: "few tenants",
			description: "d",
			saved_query: query,
			controller_connection_ids: [connection],
			type: "row_count",
			config: { operator: "le", value: 10 },
			severity: "critical",
			for_runs: 2,
		},
	}),
	"checks.preview": ({ query, connection }) => ({
		as: "user",
		path: `${CHECKS}preview/`,
		body: { saved_query: query, controller_connection_ids: [connection], type: "no_rows" },
	}),
	"checks.update": ({ check }) => ({
		as: "user",
		path: `${CHECKS}${check}/`,
		body: { name: "none", severity: "info", for_runs: 3 },
	}),
	"checks.replace": ({ check, query, connection }) => ({
		as: "user",
		path: `${CHECKS}${check}/`,
		body: { name: "no tenants", saved_query: query, type: "no_rows", controller_connection_ids: [connection] },
	}),
	"checks.install": ({ connection }) => ({
		as: "user",
		path: `${CHECKS}templates/critical-faults/install/`,
		body: { controller_connection_ids: [connection] },
	}),
	"checks.evaluate": ({ check, connection }) => ({
		as: "user",
		path: `${CHECKS}${check}/evaluate/`,
		status: 202,
		body: { controller_connection_ids: [connection] },
	}),
	"checks.watch": ({ check, connection }) => ({
		as: "user",
		path: `${CHECKS}${check}/watch/`,
		body: { schedule: { frequency: "hourly", minute_of_hour: 7 }, controller_connection_ids: [connection] },
	}),
	"checks.acknowledge": ({ check }) => ({
		as: "user",
		path: `${CHECKS}${check}/acknowledge/`,
		body: { comment: "known" },
	}),
	"checks.mute": ({ check, t }) => ({
		as: "user",
		path: `${CHECKS}${check}/mute/`,
		body: { until: new Date(t.clock.now() + 60_000).toISOString() },
	}),
	"schedules.create": ({ connection, query }) => ({
		as: "user",
		path: TASKS,
		body: {
			name: "weekly",
			description: "each",
			saved_query: query,
			controller_connection_ids: [connection],
			frequency: "weekly",
			time_of_day: "04:00",
			day_of_week: 1,
			timezone: "UTC",
			email_recipients: ["ops@example.com"],
		},
	}),
	"schedules.preview": () => ({
		as: "user",
		path: `${TASKS}preview/`,
		body: { frequency: "daily", time_of_day: "04:00", timezone: "UTC" },
	}),
	"schedules.update": ({ task }) => ({
		as: "user",
		path: `${TASKS}${task}/`,
		body: { name: "each night", description: "d", retry_count: 2 },
	}),
	"schedules.replace": ({ task, query, connection }) => ({
		as: "user",
		path: `${TASKS}${task}/`,
		body: {
			name: "nightly",
			saved_query: query,
			controller_connection_ids: [connection],
			frequency: "daily",
			time_of_day: "03:30",
		},
	}),
	"schedules.change_settings": () => ({
		as: "admin",
		path: "/api/queries/task-settings/",
		body: { default_retry_count: 2, email_from_address: "weft@example.com" },
	}),
	"time_machine.capture": ({ connection, query }) => ({
		as: "user",
		path: `${TIME}capture/`,
		body: {
			result_data: buildImdata("three"),
			controller_connection_id: connection,
			controller_connection_name: "fabric",
			saved_query_id: query,
			query_name: "Tenants",
			class_name: "fvTenant",
			execution_time_ms: 2,
		},
	}),
	"time_machine.annotate": ({ snapshots }) => ({
		as: "user",
		path: `${TIME}snapshots/${snapshots[0]}/annotate/`,
		body: { annotation: "first", label: "v1" },
	}),
	"time_machine.compare": ({ snapshots }) => ({
		as: "user",
		path: `${TIME}compare/`,
		body: { snapshot_from_id: snapshots[0], snapshot_to_id: snapshots[1] },
	}),
	"time_machine.cleanup_preview": () => ({
		as: "user",
		path: `${TIME}cleanup/preview/`,
		body: { include_annotated: false },
	}),
	"time_machine.cleanup": () => ({
		as: "user",
		path: `${TIME}cleanup/execute/`,
		body: { include_annotated: false },
	}),
	"time_machine.update_settings": () => ({
		as: "user",
		path: `${TIME}settings/`,
		body: { retention_days: 30, max_snapshot_size_mb: 5 },
	}),
};
