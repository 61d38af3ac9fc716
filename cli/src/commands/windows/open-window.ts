/** Makes a change window of a plan, submits it, and waits for its gate. */
import type { ChangeWindow, ExpectationImport } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, describeError, EXIT } from "../../errors.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { findConnectionIds } from "../runs/connection-options.ts";
import { importExpectations, readExpectations } from "./expectation-files.ts";
import { awaitWindow } from "./follow-window.ts";
import { findWindow, formatWindowName, getPlans } from "./windows.ts";

/** Options of a command that makes a window. */
export interface WindowOptions {
	readonly connection: readonly string[];
	readonly group: readonly string[];
	readonly ticket: string;
	readonly ticketUrl?: string | undefined;
	readonly title?: string | undefined;
	readonly implementer: readonly string[];
	readonly overrideFreeze?: string | undefined;
	readonly expect: readonly string[];
	readonly expectPlan: readonly string[];
}

/** How a window is started. */
export interface GateWait {
	/** Longest wait for the gate in milliseconds, and as the user wrote it. */
	readonly waitMs: number;
	readonly wait: string;
	/** Reason to start during a freeze; a freeze refuses the start where it is absent. */
	readonly overrideFreeze?: string | undefined;
}

/** Makes a window of a plan as a draft, with the expectations of files. */
export async function createWindow(
	context: Context,
	client: WeftClient,
	planName: string,
	options: WindowOptions,
): Promise<ChangeWindow> {
	const { ticket, ticketUrl, title, implementer } = options;
	if (options.connection.length === 0 && options.group.length === 0)
		throw buildInputError("Give the connections of the change with --connection or --group.");
	const files: { readonly file: string; readonly body: ExpectationImport }[] = [];
	for (const file of options.expect) files.push({ file, body: await readExpectations(context, file, "yaml") });
	for (const file of options.expectPlan) files.push({ file, body: await readExpectations(context, file, "terraform") });
	const plan = await resolveNameOrId(getPlans(client), planName);
	const body = {
		title: title ?? `${plan.name} (${ticket})`.slice(0, 200),
		plan: plan.id,
		connection_ids: await findConnectionIds(context, client, options),
		ticket: { number: ticket, url: ticketUrl ?? "" },
		implementers: [...implementer],
		idempotency_key: context.newId(),
	};
	const made = await client.call(changeWindowRoutes.create, { body }, { isSafe: true });
	for (const { file, body: declared } of files)
		try {
			await importExpectations(context, client, made.id, declared);
		} catch (error) {
			await client.call(changeWindowRoutes.cancel, { params: { id: made.id } });
			if (!(error instanceof WeftError && error.status === 400)) throw error;
			throw buildInputError(`${file}: ${describeError(error).message}`);
		}
	return made;
}

/**
 * Moves a window on until it is open.
 * @throws CliError with 1 if it needs an approval, if its gate is closed, or if the gate takes
 * longer
 */
export async function openWindow(
	context: Context,
	client: WeftClient,
	window: ChangeWindow,
	{ waitMs, wait, overrideFreeze: reason }: GateWait,
): Promise<ChangeWindow> {
	const params = { id: window.id };
	const body = reason === undefined ? {} : { override_freeze: { reason } };
	const again = `weft change start --window ${window.id}`;
	const name = formatWindowName(window);
	let { state } = window;
	if (state === "draft") ({ state } = await client.call(changeWindowRoutes.submit, { params }));
	if (state === "waiting")
		throw new CliError(EXIT.finding, `${name} (${window.id}) awaits approval. Once it is approved: ${again}`);
	if (state === "planned") ({ state } = await startWindow(client, window, body, again));
	else if (state === "blocked") ({ state } = await client.call(changeWindowRoutes.retry, { params, body }));
	if (state !== "checking_before" && state !== "open" && state !== "blocked")
		throw buildInputError(`${name} (${window.id}) is ${state}, and cannot be started.`);
	const reached = await awaitWindow(context, client, window.id, { states: ["checking_before"], waitMs });
	if (reached.state === "open") return reached;
	if (reached.state === "checking_before")
		throw new CliError(EXIT.finding, `${name}: The gate has not decided within ${wait}. Wait again with: ${again}`);
	if (reached.state !== "blocked") throw new CliError(EXIT.finding, `${name} is ${reached.state}.`);
	const reasons = reached.gate?.reasons.map(({ detail }) => detail) ?? [];
	throw new CliError(
		EXIT.finding,
		[
			`${name} is blocked, and nothing was changed.`,
			...reasons,
			`Check again with: ${again}`,
			`Open it all the same with: weft change override ${window.id} --reason TEXT`,
		].join("\n"),
	);
}

/** Starts a planned window. A freeze leaves it planned, and is a closed gate to the user. */
async function startWindow(
	client: WeftClient,
	window: ChangeWindow,
	body: { readonly override_freeze?: { readonly reason: string } },
	again: string,
): Promise<ChangeWindow> {
	return client.call(changeWindowRoutes.start, { params: { id: window.id }, body }).catch((error: unknown) => {
		if (error instanceof WeftError && error.status === 409)
			throw new CliError(
				EXIT.finding,
				`${formatWindowName(window)} was not started: ${describeError(error).message} Later: ${again}`,
			);
		throw error;
	});
}

/** After Ctrl-C, names the command that continues. The window stays as it is. */
export function noteNextCommand(context: Context, client: WeftClient, made: Promise<Pick<ChangeWindow, "id">>): void {
	context.onInterrupt(async () => {
		const window = await made.then(({ id }) => findWindow(client, id)).catch(() => null);
		if (window === null) return;
		const isBefore = ["draft", "waiting", "planned", "checking_before", "blocked"].includes(window.state);
		const next = isBefore ? `weft change start --window ${window.id}` : `weft change finish ${window.id}`;
		context.note(`${formatWindowName(window)} stays as it is (${window.state}). Continue with: ${next}`);
	});
}
