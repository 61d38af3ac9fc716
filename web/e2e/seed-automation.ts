/** Fills a new service with automation: a server, a template, and requests in several states. */
import {
	type AutomationTemplate,
	automationConnectionRoutes,
	automationExecutionRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
	groupRoutes,
	userRoutes,
} from "@weft/contracts";
import { createClient, type WeftClient } from "@weft/sdk";
import { PASSWORD } from "./world.ts";

export interface SeededAutomation {
	readonly connectionId: string;
	/** Needs approval. */
	readonly templateId: string;
	/** Awaits approval, made by an operator. */
	readonly requestId: string;
	/** Has ended, one row failed. */
	readonly endedRequestId: string;
	readonly executionId: string;
}

const OPERATOR = "olga.operator";
/** A job template of the lab that takes rows and runs any number of jobs at once. */
const ROWS_JOB = 22;

export async function seedAutomation(
	url: string,
	admin: WeftClient,
	server: { readonly url: string; readonly token: string },
): Promise<SeededAutomation> {
	const connection = await admin.call(automationConnectionRoutes.create, {
		body: { name: "awx-lab", base_url: server.url, oauth_token: server.token, is_public: true, is_default: true },
	});
	await admin.call(automationConnectionRoutes.test, { params: { id: connection.id } });
	const schema = [
		{ name: "name", label: "Name", field_type: "text" as const, required: true },
		{ name: "vlan", label: "VLAN", field_type: "vlan" as const },
		{ name: "rc", label: "Exit code", field_type: "number" as const },
	];
	const template = await admin.call(automationTemplateRoutes.create, {
		body: {
			name: "Create tenants",
			description: "A tenant for each row",
			automation_connection: connection.id,
			automation_job_template_id: ROWS_JOB,
			is_public: true,
			requires_approval: true,
			schema,
		},
	});
	await admin.call(userRoutes.create, {
		body: { username: OPERATOR, password: PASSWORD, ...(await createOperatorGroup(admin)) },
	});
	const operator = createClient({ baseUrl: url });
	await operator.signIn(OPERATOR, PASSWORD);
	const ask = (title: string, check_mode: boolean, input_data: Record<string, unknown>[]) =>
		operator.call(automationRequestRoutes.create, {
			body: { template: template.id, title, input_data, check_mode },
		});
	const waiting = await ask("Tenants for the new shop", true, [
		{ name: "shop-prod", vlan: 110 },
		{ name: "shop-test", vlan: 111 },
	]);
	const ended = await ask("Tenants of last week", false, [
		{ name: "old-prod", vlan: 120 },
		{ name: "old-test", vlan: 121, rc: 1 },
	]);
	await admin.call(automationRequestRoutes.approve, { params: { id: ended.id }, body: {} });
	await operator.call(automationRequestRoutes.execute, { params: { id: ended.id } });
	return {
		connectionId: connection.id,
		templateId: template.id,
		requestId: waiting.id,
		endedRequestId: ended.id,
		executionId: await waitUntilOver(operator, ended.id),
	};
}

/** What tests of requests make: templates of the seeded server, and requests with them. */
export const getAutomation = (web: { client(): WeftClient; readonly automationSeed: SeededAutomation }) => ({
	template: (more: object = {}): Promise<AutomationTemplate> =>
		web.client().call(automationTemplateRoutes.create, {
			body: {
				name: `Template ${Math.random()}`,
				automation_connection: web.automationSeed.connectionId,
				automation_job_template_id: ROWS_JOB,
				is_public: true,
				schema: [
					{ name: "name", field_type: "text", required: true },
					{ name: "rc", field_type: "number" },
				],
				...more,
			},
		}),
	/** Two rows, `one` and `two`. */
	request: (client: WeftClient, templateId: string, title: string, more: object = {}) =>
		client.call(automationRequestRoutes.create, {
			body: { template: templateId, title, input_data: [{ name: "one" }, { name: "two" }], ...more },
		}),
});

async function createOperatorGroup(admin: WeftClient): Promise<{ group_ids: number[] }> {
	const { results } = await admin.call(groupRoutes.list, { query: {} });
	return { group_ids: results.filter(({ name }) => name === "Operator").map(({ id }) => id) };
}

/** The id of the execution, once its request is over. */
async function waitUntilOver(client: WeftClient, requestId: string): Promise<string> {
	for (;;) {
		const { status } = await client.call(automationRequestRoutes.detail, { params: { id: requestId } });
		const { results } = await client.call(automationExecutionRoutes.list, { query: { automation_request: requestId } });
		const [execution] = results;
		if (["successful", "failed", "cancelled"].includes(status) && execution?.output_complete) return execution.id;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}
