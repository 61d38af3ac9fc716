/** Requests recorded from an AWX 22.2.0 get the same status, keys and types here. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningAutomation, startAutomation } from "./automation.ts";

const FOLDER = fileURLToPath(new URL("../../../../shared/data/automation/", import.meta.url));
const present = existsSync(`${FOLDER}launch_201.json`);
if (!present) process.stderr.write("recorded answers of AWX: skipped, there is no ../shared/data\n");

interface Recording {
	readonly request: {
		readonly method: string;
		readonly path: string;
		readonly auth?: string;
		readonly body?: unknown;
		readonly raw_body?: string;
	};
	readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}
const readRecording = (name: string): Recording => JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8"));

/** What the simulator does not offer: setting a server up, and its own sockets. */
const NOT_SIMULATED: Readonly<Record<string, string>> = {
	inventory_create_201: "inventories are there from the start",
	job_template_create_201: "templates are made by a control",
	oauth_application_create_201: "applications are not simulated",
	project_create_201: "the project is there from the start",
	survey_spec_post: "surveys are made by a control",
	websocket_messages: "sockets of the server are not simulated",
	workflow_job_template_create_201: "templates are made by a control",
	options_launch: "the description's text and fields are not simulated",
	job_children_summary: "the tree of events is not simulated",
};

/** Free-form content, whose keys are data: compared by its type only. */
const FREE = new Set([
	"event_data",
	"artifacts",
	"job_env",
	"host_status_counts",
	"hosts",
	"analytics_collectors",
	"object_roles",
	"inputs",
	"extra_data",
	"ignored_fields",
	"recent_jobs",
	"recent_notifications",
	"become_methods",
	"body",
	"headers",
	"owners",
	"playbook_counts",
]);
/** Left out of this rig's answers or of the simulator's, and of no consequence to a client. */
const LOOSE = new Set(["named_url", "modified_by", "project_base_dir", "project_local_paths", "custom_virtualenvs"]);

/** Every difference in keys and types; null fits everything. */
function listDifferences(real: unknown, ours: unknown, at = ""): string[] {
	if (real === null || ours === null) return [];
	if (Array.isArray(real) !== Array.isArray(ours)) return [`${at}: a list on one side only`];
	if (Array.isArray(real) && Array.isArray(ours)) {
		if (real.length === 0 || ours.length === 0) return [];
		return listDifferences(real[0], ours[0], `${at}[0]`);
	}
	if (typeof real !== typeof ours) return [`${at}: ${typeof real}, here ${typeof ours}`];
	if (typeof real !== "object") return [];
	const [a, b] = [real as Record<string, unknown>, ours as Record<string, unknown>];
	return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
		if (LOOSE.has(key)) return [];
		if (!(key in a)) return [`${at}.${key}: only here`];
		if (!(key in b)) return [`${at}.${key}: missing here`];
		return FREE.has(key) && typeof a[key] === typeof b[key] ? [] : listDifferences(a[key], b[key], `${at}.${key}`);
	});
}

describe.skipIf(!present)("recorded answers of AWX", () => {
	let lab: RunningAutomation;
	const failures: string[] = [];
	const replayed = new Set<string>();
	/** Recorded job id to the one here. */
	const jobs = new Map<number, number>();

	const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
	const authorization = (name: string, auth: string | undefined): Record<string, string> => {
		if (name.includes("no_auth") || auth === "none") return {};
		if (name === "me_bad_bearer_401" || name === "revoked_token_401") return { authorization: "Bearer nonsense" };
		if (name === "me_bad_basic_401") return { authorization: basic("admin", "wrong") };
		if (name.startsWith("user_no_role")) return { authorization: basic("nobody", "nobody-password") };
		if (name.startsWith("user_execute")) return { authorization: basic("launcher", "launcher-password") };
		if (name === "launch_403_readonly_token") return { authorization: `Bearer ${lab.token}-read` };
		if (auth?.toLowerCase() === "basic") return { authorization: basic(lab.username, lab.password) };
		return { authorization: `Bearer ${lab.token}` };
	};

	const mapped = (path: string): string =>
		path
			.replace(/\/(jobs|workflow_jobs)\/(\d+)\//, (_, kind, id) => `/${kind}/${jobs.get(Number(id)) ?? id}/`)
			.replace(
				/id__in=([\d,]+)/,
				(_, ids) => `id__in=${ids.split(",").map((id: string) => jobs.get(Number(id)) ?? id)}`,
			)
			.replace(/created__gte=[^&]+/, "created__gte=2020-01-01T00:00:00Z");

	/** Sends the recorded request and compares; answers the body. */
	async function replayRequest(name: string): Promise<Record<string, unknown>> {
		const { request, response } = readRecording(name);
		replayed.add(name);
		const raw = request.raw_body ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
		const type = name.includes("wrong_content_type")
			? "text/plain"
			: request.path.startsWith("/api/o/")
				? "application/x-www-form-urlencoded"
				: "application/json";
		const json = (response.headers["Content-Type"] ?? "").startsWith("application/json");
		const grant = "grant_type=password&scope=write&username=admin&password=";
		const body = name.startsWith("oauth_token") ? `${grant}${name.endsWith("bad") ? "x" : lab.password}` : raw;
		const answer = await fetch(lab.url + mapped(request.path), {
			method: request.method,
			redirect: "manual",
			headers: {
				accept: name.includes("accept_any") || request.path.includes("format=") ? "*/*" : "application/json",
				...(body === undefined ? {} : { "content-type": type }),
				...authorization(name, request.auth),
			},
			...(body === undefined ? {} : { body }),
		});
		const text = await answer.text();
		const say = (what: string) => failures.push(`${name}: ${what}`);
		if (answer.status !== response.status)
			say(`status ${response.status}, here ${answer.status}: ${text.slice(0, 200)}`);
		const media = (value: string | null | undefined) => value?.split(";")[0];
		if (text !== "" && media(answer.headers.get("content-type")) !== media(response.headers["Content-Type"])) {
			say(`type ${response.headers["Content-Type"]}, here ${answer.headers.get("content-type")}`);
		}
		for (const header of ["Location", "WWW-Authenticate", "Content-Disposition"]) {
			if (header in response.headers !== answer.headers.has(header)) say(`header ${header} on one side only`);
		}
		if (!json || text === "") return {};
		const ours = JSON.parse(text);
		for (const difference of listDifferences(response.body, ours)) say(difference);
		return ours;
	}

	const launched = async (name: string) => {
		const recorded = readRecording(name).response.body as { id: number };
		const ours = await replayRequest(name);
		jobs.set(recorded.id, ours.id as number);
	};
	const advance = (seconds: number) => lab.control("advance", { seconds });
	const all = async (...names: string[]) => {
		for (const name of names) await replayRequest(name);
	};
	/** A job that was launched without a recording of it. */
	const launch = async (recorded: number, template: string, body: unknown = {}) => {
		const answer = await fetch(`${lab.url}/api/v2/${template}/launch/`, {
			method: "POST",
			headers: { authorization: `Bearer ${lab.token}`, "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		jobs.set(recorded, ((await answer.json()) as { id: number }).id);
	};

	beforeAll(async () => {
		// The clock stands: it moves when the scenario says so.
		lab = await startAutomation({ version: "22.2.0", now: () => Date.parse("2026-11-20T12:55:00Z") });
	});
	afterAll(() => lab.close());

	it("are given for the same requests", async () => {
		await all("api_root", "ping", "me_basic", "me_bearer", "me_bad_basic_401", "me_bad_bearer_401", "me_no_auth_401");
		await all("config", "no_trailing_slash", "launch_no_trailing_slash", "missing_404", "unknown_url_404");
		await all(
			"token_create_personal_201",
			"token_create_generic_201",
			"token_list",
			"token_delete_204",
			"revoked_token_401",
		);
		await all("oauth_token_password_grant", "oauth_token_password_grant_bad");
		await all("job_templates_list", "job_template_detail", "page_size_capped", "page_invalid_404", "order_by_bad_400");
		await all("filter_bad_lookup_400", "filter_search", "filter_unknown_field_400", "count_disabled");
		await all("credential_types_list", "credential_types_kind_filter", "credentials_list", "credentials_filter_kind");
		await all("credential_machine_detail", "inventories_list", "survey_spec_empty", "survey_spec_get", "launch_get");
		await all(
			"launch_get_survey",
			"workflow_job_templates_list",
			"workflow_job_template_detail",
			"workflow_launch_get",
		);
		await all("workflow_template_nodes", "notification_template_missing_headers_400");
		await all(
			"notification_template_webhook_create_201",
			"notification_template_webhook_get",
			"notification_template_test_202",
		);
		for (const trigger of ["started", "success", "error"]) {
			await fetch(`${lab.url}/api/v2/job_templates/9/notification_templates_${trigger}/`, {
				method: "POST",
				headers: { authorization: `Bearer ${lab.token}`, "content-type": "application/json" },
				body: JSON.stringify({ id: 1 }),
			});
		}

		// 1: a check run; 2: rows that fail.
		await launched("launch_201");
		await advance(0.04);
		await replayRequest("job_detail_early");
		await advance(30);
		await all("job_detail_just_finished", "job_detail_successful_check", "job_events_check_mode");
		await launched("launch_rows_fail_201");
		await advance(30);
		await all(
			"job_detail_failed",
			"job_events_failed",
			"job_events_counter_gt",
			"job_events_items_only",
			"job_events_limit",
		);
		await all(
			"job_host_summaries_failed",
			"job_notifications",
			"relaunch_get",
			"cancel_get_finished",
			"cancel_post_finished_405",
		);
		await all(
			"stdout_txt",
			"stdout_ansi",
			"stdout_json",
			"stdout_json_base64",
			"stdout_json_negative",
			"stdout_json_range",
		);
		await all(
			"stdout_json_bad_range",
			"stdout_bad_format",
			"stdout_no_format_accept_any",
			"stdout_no_format_accept_json",
		);
		await all("stdout_txt_download", "stdout_ansi_download", "job_by_ids_missing");
		await all("user_no_role_cancel_403", "user_no_role_detail_403", "user_no_role_job_403", "user_no_role_launch_403");
		await all("user_no_role_list_empty", "user_no_role_stdout_403");
		await all("user_execute_launch_foreign_cred_403", "user_execute_launch_foreign_inventory_403");
		await launched("relaunch_failed_hosts_201");
		await advance(30);

		// What a launch refuses.
		await all(
			"launch_403_readonly_token",
			"launch_ask_password_400",
			"launch_bad_credential_400",
			"launch_bad_inventory_400",
		);
		await all(
			"launch_bad_job_type_400",
			"launch_bad_json_400",
			"launch_bad_limit_type_400",
			"launch_body_not_object_400",
		);
		await all("launch_credential_dict_400", "launch_extra_vars_bad_yaml_400", "launch_extra_vars_not_object_400");
		await all(
			"launch_missing_template_404",
			"launch_put_405",
			"launch_two_machine_creds_400",
			"launch_wrong_content_type_415",
		);
		await all(
			"launch_survey_invalid_400",
			"launch_survey_missing_400",
			"filter_extra_vars_refused",
			"job_list_status_bad",
		);
		await launched("launch_survey_ok_201");
		await advance(30);
		await all("job_delete_204", "job_deleted_404");
		await launched("launch_strict_ignored_201");
		await advance(30);
		await launched("launch_with_credential_201");
		await advance(30);
		await all("job_detail_with_credential", "job_credentials_sublist", "jobs_by_template_created_gte");

		// 7 runs while 8 waits for it.
		await launched("launch_sleep_201");
		await advance(2);
		await replayRequest("job_list_running");
		await launched("launch_second_same_template_201");
		await all("job_detail_running", "job_events_running", "stdout_running_txt", "cancel_get_running");
		await all(
			"relaunch_get_running",
			"job_delete_running_403",
			"job_template_delete_active_409",
			"unified_jobs_by_ids",
		);
		await all(
			"cancel_pending_202",
			"job_detail_canceled_pending",
			"cancel_post_running_202",
			"job_detail_right_after_cancel",
		);
		await advance(5);
		await all("job_detail_canceled_running", "job_host_summaries_canceled", "stdout_canceled_txt");
		await launch(9, "job_templates/11");
		await launch(10, "job_templates/12");
		await launch(11, "job_templates/13");
		await launch(12, "job_templates/14", { extra_vars: { rows: [] } });
		await advance(60);
		await launch(13, "job_templates/14", { extra_vars: { rows: [{ name: "r1" }] } });
		await advance(60);
		await all(
			"job_detail_big",
			"stdout_too_big_ansi",
			"stdout_too_big_json",
			"stdout_too_big_json_range",
			"stdout_too_big_txt",
		);
		await all(
			"job_detail_odd",
			"job_events_odd",
			"stdout_odd_txt",
			"job_detail_syntax",
			"job_events_syntax",
			"stdout_syntax_txt",
		);
		await all("job_detail_unreach", "job_events_unreach", "job_host_summaries_unreach", "stdout_unreach_txt");
		await all("job_detail_unreachable", "job_events_unreachable", "job_host_summaries_unreachable");

		// Workflows.
		await all("workflow_launch_limit_rejected_400", "workflow_launch_vars_not_allowed_400");
		await launched("workflow_launch_201");
		await replayRequest("workflow_nodes_early");
		await advance(0.2);
		await all("workflow_job_running", "workflow_nodes_running");
		await advance(60);
		await all("workflow_job_successful", "workflow_nodes_finished", "workflow_job_as_job_404", "workflow_stdout_404");
		await launched("workflow_relaunch_201");
		await launch(20, "workflow_job_templates/18");
		await advance(60);
		await replayRequest("workflow_job_failed");
		await launch(23, "workflow_job_templates/19");
		await advance(60);
		await all("workflow_nodes_approval_pending", "workflow_cancel_202");
		await advance(5);
		await all("workflow_nodes_canceled", "workflow_job_canceled", "unified_jobs_mixed");

		// Events that come late, a dispatcher that goes, a database that goes.
		await lab.control("behaviour", { store_ms: 60_000 });
		await launch(27, "job_templates/9", { extra_vars: { rows: [] } });
		await advance(20);
		await all("job_finished_events_unprocessed", "job_events_unprocessed", "job_host_summaries_unprocessed");
		await all("stdout_unprocessed_txt");
		await advance(120);
		await replayRequest("job_finished_events_processed_late");
		await lab.control("behaviour", { store_ms: 10 });
		await launch(30, "job_templates/10", { extra_vars: { secs: 70 } });
		await advance(2);
		await launch(31, "job_templates/10", { extra_vars: { secs: 1 } });
		await advance(40);
		await replayRequest("job_detail_pending_blocked");
		await lab.control("behaviour", { dispatcher: false });
		await launched("launch_while_dispatcher_down_201");
		await lab.control("behaviour", { dispatcher: true });
		await lab.control("restart");
		await advance(60);
		await all("job_detail_reaped", "job_detail_after_restart_blocked", "job_detail_after_restart_pending");
		await launch(33, "job_templates/9", {
			extra_vars: { rows: [{ name: "a" }, { name: "b", rc: 1 }], ignore_errors: true },
		});
		await advance(60);
		await all("job_detail_ignore_errors", "job_events_ignore_errors", "job_host_summaries_ignore_errors");
		await lab.control("template", { id: 9, sliceCount: 2 });
		await launched("launch_sliced_201");
		await lab.control("template", { id: 9, sliceCount: 1 });
		lab.setFaults({ launch_500_created: { times: 1 } });
		await all("redis_down_launch", "redis_down_ping");
		lab.setFaults({ database_down: {} });
		await all("db_down_jobs", "db_down_launch", "db_down_ping");
		lab.clearFaults();
		await replayRequest("db_back_ping");

		expect(failures).toEqual([]);
		const recorded = readdirSync(FOLDER).map((file) => file.replace(".json", ""));
		const other = (name: string) =>
			name in NOT_SIMULATED || name.startsWith("webhook_") || name.startsWith("notification_");
		expect(recorded.filter((name) => !replayed.has(name) && !other(name))).toEqual([]);
		expect(replayed.size).toBeGreaterThan(170);
	});
});
