/**
 * Remembers the version of each automation request that a client has read, and sends it with an
 * approval or a rejection: the service refuses the decision if the request has changed since.
 */
import { automationRequestRoutes } from "@weft/contracts/browser";
import type { CallOptions, WeftCaller } from "./client.ts";

/** Requests whose version is remembered; above this the oldest is forgotten. */
const VERSIONS_MAX = 10_000;
const DECISIONS: ReadonlySet<string> = new Set([automationRequestRoutes.approve.id, automationRequestRoutes.reject.id]);
const AREA = automationRequestRoutes.list.id.replace(/[^.]*$/, "");

type CallInput = { readonly params?: { readonly id?: unknown }; readonly body?: object };

export function sendReadVersions(caller: WeftCaller): WeftCaller {
	/** The `updated_at` by the request's id. */
	const versions = new Map<string, string>();

	function rememberVersion(item: unknown): void {
		const { id, updated_at } = (item ?? {}) as { id?: unknown; updated_at?: unknown };
		if (typeof id !== "string" || typeof updated_at !== "string") return;
		versions.delete(id);
		versions.set(id, updated_at);
		const [oldest] = versions.keys();
		if (versions.size > VERSIONS_MAX && oldest !== undefined) versions.delete(oldest);
	}

	/** The body of a decision with the version that was read; a version in the body stays. */
	function addVersion(input: CallInput): CallInput {
		const version = versions.get(String(input.params?.id));
		return version === undefined ? input : { ...input, body: { updated_at: version, ...input.body } };
	}

	const call = async (route: { readonly id: string }, input?: CallInput, options?: CallOptions): Promise<unknown> => {
		const given = input !== undefined && DECISIONS.has(route.id) ? addVersion(input) : input;
		const answer: unknown = await caller.call(route as never, given as never, options as never);
		if (route.id.startsWith(AREA)) {
			const { results } = (answer ?? {}) as { results?: unknown };
			for (const item of Array.isArray(results) ? results : [answer]) rememberVersion(item);
		}
		return answer;
	};
	async function* visitRequests(route: { readonly id: string }, input?: object, options?: CallOptions) {
		for await (const item of caller.each(route as never, input as never, options)) {
			if (route.id === automationRequestRoutes.list.id) rememberVersion(item);
			yield item;
		}
	}
	return { ...caller, call: call as WeftCaller["call"], each: visitRequests as WeftCaller["each"] };
}
