/**
 * Valid calls of automation's routes, and the data they need. No automation server is reached.
 */
import type { TestUser } from "./harness.ts";
import type { Call, World } from "./valid-calls.ts";

export interface AutomationWorld {
	readonly connection: string;
	readonly template: string;
	/** With sheets. */
	readonly sheets: string;
	readonly category: number;
	readonly column: string;
	readonly list: string;
	readonly pattern: string;
	/** One to change, one to approve, one to reject. */
	readonly requests: readonly [string, string, string];
}

const API = "/api/automation/";
const ADDRESS = { base_url: "http://127.0.0.1:9", username: "reader", oauth_token: "a token of some length" };
const COLUMN = { name: "name", field_type: "text", required: true };
const SHEET = { name: "Ports", variable: "ports", columns: [COLUMN] };

// biome-ignore lint/suspicious/noExplicitAny: each of its makers knows what it made
type Made = (user: TestUser, area: string, body: Record<string, unknown>) => Promise<any>;

export async function createAutomationWorld(user: TestUser): Promise<AutomationWorld> {
	const make: Made = async (by, area, given) => {
		const { status, body, text } = await by.api.post(`${API}${area}/`, given);
		if (status !== 201) throw new Error(`the world could not be made: ${status} ${text}`);
		return body;
	};
	const connection = (await make(user, "connections", { name: "AWX", ...ADDRESS, is_default: true })).id;
	const base = { automation_connection: connection, automation_job_template_id: 7 };
	const template = (await make(user, "templates", { name: "Ports", ...base, schema: [COLUMN] })).id;
	const sheets = (await make(user, "templates", { name: "Sheets", ...base, sheets: [SHEET] })).id;
	const approved = (await make(user, "templates", { ...base, name: "A", schema: [COLUMN], requires_approval: true }))
		.id;
	const ask = async (of: string, title: string): Promise<string> =>
		(await make(user, "requests", { template: of, title, input_data: [{ name: "a" }] })).id;
	return {
		connection,
		template,
		sheets,
		category: (await make(user, "categories", { name: "Fabric jobs" })).id,
		column: (await make(user, "column-templates", { name: "Name", column: COLUMN })).id,
		list: (await make(user, "validation-lists", { name: "Sites", values: ["a", "b"], is_public: false })).id,
		pattern: (await make(user, "regex-patterns", { name: "Leaf", pattern: "leaf-[0-9]+", is_public: false })).id,
		requests: [await ask(template, "to change"), await ask(approved, "to approve"), await ask(approved, "to reject")],
	};
}

const buildConnectionBody = (name: string) => ({
	name,
	...ADDRESS,
	description: "of the lab",
	verify_ssl: true,
	timeout: 30,
});
const buildTemplateBody = (name: string, { connection }: AutomationWorld) => ({
	name,
	description: "moves ports",
	automation_connection: connection,
	automation_job_template_id: 7,
	schema: [COLUMN],
	tags: ["fabric"],
	is_public: false,
	requires_approval: false,
});
const buildCategoryBody = (name: string) => ({
	name,
	description: "jobs",
	color: "#123456",
	icon: "switch",
	display_order: 2,
});
const buildColumnBody = (name: string) => ({ name, description: "of a leaf", column: COLUMN, is_public: false });
const listBody = (name: string) => ({ name, description: "all", values: ["a", "b"], is_public: false });
const buildPatternBody = (name: string) => ({
	name,
	description: "all",
	pattern: "[a-z]+",
	flags: "i",
	is_public: false,
});

/** The three that write a resource: how its path is found, and its body by name. */
function buildWriteCalls(
	id: string,
	area: string,
	one: (world: AutomationWorld) => string | number,
	body: (name: string, world: AutomationWorld) => Record<string, unknown>,
): Record<string, (world: World) => Call> {
	const at = ({ automation }: World) => `${API}${area}/${one(automation)}/`;
	return {
		[`${id}.create`]: ({ automation }) => ({
			as: "user",
			path: `${API}${area}/`,
			body: body(`Another of ${area}`, automation),
		}),
		[`${id}.update`]: (world) => ({ as: "user", path: at(world), body: { description: "changed" } }),
		[`${id}.replace`]: (world) => ({
			as: "user",
			path: at(world),
			body: body(`Replaced of ${area}`, world.automation),
		}),
	};
}

export const AUTOMATION_CALLS: Readonly<Record<string, (world: World) => Call>> = {
	...buildWriteCalls("automation_connections", "connections", ({ connection }) => connection, buildConnectionBody),
	...buildWriteCalls("automation_templates", "templates", ({ template }) => template, buildTemplateBody),
	...buildWriteCalls("automation_categories", "categories", ({ category }) => category, buildCategoryBody),
	...buildWriteCalls("automation_column_templates", "column-templates", ({ column }) => column, buildColumnBody),
	...buildWriteCalls("automation_validation_lists", "validation-lists", ({ list }) => list, listBody),
	...buildWriteCalls("automation_regex_patterns", "regex-patterns", ({ pattern }) => pattern, buildPatternBody),
	"automation_regex_patterns.test": () => ({
		as: "user",
		path: `${API}regex-patterns/test/`,
		body: { pattern: "[a-z]+", test_strings: ["a", "1"] },
	}),
	"automation_templates.from_server": ({ automation }) => ({
		as: "user",
		path: `${API}templates/from-server/`,
		status: 502,
		body: { automation_connection: automation.connection, automation_job_template_id: 7, kind: "job" },
	}),
	"automation_templates.validate_input": ({ automation }) => ({
		as: "user",
		path: `${API}templates/validate-input/`,
		status: 202,
		body: { template: automation.template, input_data: [{ name: "a" }] },
	}),
	"automation_templates.validate_sheets": ({ automation }) => ({
		as: "user",
		path: `${API}templates/validate-sheets/`,
		status: 202,
		body: { template: automation.sheets, sheets: { Ports: [{ name: "a" }] } },
	}),
	"automation_requests.create": ({ automation, connection, query }) => ({
		as: "user",
		path: `${API}requests/`,
		body: {
			template: automation.template,
			title: "Move",
			description: "at night",
			input_data: [{ name: "a" }],
			target_controller: connection,
			watch_query_id: query,
			check_mode: false,
		},
	}),
	"automation_requests.update": ({ automation }) => ({
		as: "user",
		path: `${API}requests/${automation.requests[0]}/`,
		body: { title: "changed", input_data: [{ name: "b" }] },
	}),
	"automation_requests.approve": ({ automation }) => ({
		as: "admin",
		path: `${API}requests/${automation.requests[1]}/approve/`,
		body: { comment: "fine" },
	}),
	"automation_requests.reject": ({ automation }) => ({
		as: "admin",
		path: `${API}requests/${automation.requests[2]}/reject/`,
		body: { reason: "not now" },
	}),
	"automation_requests.comment": ({ automation }) => ({
		as: "user",
		path: `${API}requests/${automation.requests[0]}/comments/`,
		status: 201,
		body: { text: "Which rack?" },
	}),
	"automation_requests.copy": ({ automation }) => ({
		as: "user",
		path: `${API}requests/${automation.requests[0]}/copy/`,
		status: 201,
		body: { rows: "all" },
	}),
	"automation_webhooks.test": () => ({
		as: "admin",
		path: `${API}webhooks/test/`,
		body: { job_id: 4 },
	}),
};

/** Routes whose valid call needs more than the service alone. */
export const AUTOMATION_NEEDS_MORE: Readonly<Record<string, string>> = {
	"automation_requests.rollback": "a job that has ended",
	"automation_requests.execute": "a server that answers",
	"automation_requests.retry": "a job that has ended",
	"automation_executions.relaunch": "a job that has ended",
	"automation_executions.override": "a launch that its change window blocks",
	"automation_webhooks.receive": "a signature of the body as it is; the body is a hint, of which two fields are read",
	"automation_webhooks.receive_put": "the same",
};
