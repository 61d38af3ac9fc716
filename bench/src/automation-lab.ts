/**
 * Shared by automation benchmarks: the simulated server, a connection to it, and short requests.
 */
import { setTimeout as pause } from "node:timers/promises";
import {
	automationConnectionRoutes,
	automationExecutionRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
} from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { Lab } from "./lab.ts";

export interface Seen {
	readonly method: string;
	readonly target: string;
	readonly at: number;
}

/** One of the lab's controls. */
export async function callLabControl(lab: Lab, name: string, body?: object): Promise<unknown> {
	const answer = await fetch(`${lab.automation.url}/_lab/${name}`, {
		...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
	});
	if (!answer.ok) throw new Error(`the lab answered ${answer.status} to ${name}`);
	return answer.json();
}

/** A bare request to the automation server. */
export async function callAutomationServer<T>(lab: Lab, path: string): Promise<T> {
	const { url, token } = lab.automation;
	const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
	if (!answer.ok) throw new Error(`the automation server answered ${answer.status} to ${path}`);
	return (await answer.json()) as T;
}

export async function connectAutomation(client: WeftClient, { automation }: Lab): Promise<string> {
	const body = { name: "Lab", base_url: automation.url, oauth_token: automation.token, is_default: true };
	return (await client.call(automationConnectionRoutes.create, { body })).id;
}

/** A template of one column for a template of the server; answers its id. */
export async function makeTemplate(client: WeftClient, serverTemplate: number, variables: object): Promise<string> {
	const body = {
		name: `Server's ${serverTemplate}`,
		automation_job_template_id: serverTemplate,
		schema: [{ name: "name", field_type: "text" as const }],
		variable_mappings: { ...variables },
	};
	return (await client.call(automationTemplateRoutes.create, { body })).id;
}

/** Asks for a row to be carried out, and executes it; answers the execution's id. */
export async function executeRequest(client: WeftClient, template: string, title: string): Promise<string> {
	const body = { template, title, input_data: [{ name: title }] };
	const { id } = await client.call(automationRequestRoutes.create, { body });
	await client.call(automationRequestRoutes.execute, { params: { id } });
	const query = { automation_request: id };
	const { results } = await client.call(automationExecutionRoutes.list, { query });
	const [execution] = results;
	if (execution === undefined) throw new Error("the request has no execution");
	return execution.id;
}

/** The execution once it is as wanted. */
export async function waitForExecution(
	client: WeftClient,
	id: string,
	wanted: (execution: Awaited<ReturnType<typeof readExecution>>) => boolean,
) {
	for (;;) {
		const execution = await readExecution(client, id);
		if (wanted(execution)) return execution;
		if (execution.finished_at !== null) throw new Error(`the execution ended: ${execution.status} ${execution.error}`);
		await pause(500);
	}
}

const readExecution = (client: WeftClient, id: string) =>
	client.call(automationExecutionRoutes.detail, { params: { id } });
