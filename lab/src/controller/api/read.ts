/** Reading: the query, the faults that spoil it, and its answer. */
import type { Sessions } from "../auth/sessions.ts";
import type { FabricClock } from "../clock.ts";
import {
	ApiError,
	buildOptionError,
	buildTokenInvalidError,
	buildTooBigError,
	resolveTimeout,
	unknownClass,
} from "../errors.ts";
import type { Faults } from "../faults.ts";
import type { Target } from "../http/target.ts";
import type { Registry } from "../model/registry.ts";
import { parseQuery, type Query } from "../query/options.ts";
import type { Answer, QueryRunner, Scope } from "../query/run.ts";
import { hashText } from "../random.ts";
import { getDn, type Mo } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import type { TextCache } from "../store/text.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { formatEnvelope, writeAnswer } from "../tree.ts";
import { isSystemClass, type MemberView } from "./member-view.ts";
import { getType } from "./replies.ts";
import type { ApiRequest, ApiResult, Caller } from "./types.ts";

export interface ReadParts {
	readonly store: Store;
	readonly registry: Registry;
	readonly runner: QueryRunner;
	readonly view: MemberView;
	readonly cache: TextCache;
	readonly clock: FabricClock;
	readonly sessions: Sessions;
	readonly subscriptions: Subscriptions;
	readonly faults: Faults;
}

/** Longest time a subscription may live without a refresh, in seconds. */
const LONGEST_SUBSCRIPTION = 36_000;
const NOTHING: Answer = { total: 0, nodes: [], nested: 0 };

function getScope(reader: ReadParts, { form }: Target): Scope {
	if (form.kind === "class") {
		if (reader.registry.find(form.cls) === undefined) throw unknownClass.inUrl(form.cls);
		return { kind: "class", cls: form.cls, within: form.within === null ? null : getName(reader, form.within) };
	}
	if (form.kind === "tag") return { kind: "list", key: form.tag, mos: listTaggedObjects(reader, form.tag) };
	if (form.kind === "mo" || form.kind === "tags") return { kind: "mo", dn: getName(reader, form.dn) };
	throw new ApiError(400, `Request failed, unknown request ${form.name}`);
}

/** The DN of the URL as the tree has it. */
function getName(reader: ReadParts, dn: string): string {
	const mo = reader.store.locate(dn);
	return mo === undefined ? dn : getDn(mo);
}

function listTaggedObjects(reader: ReadParts, tag: string): Mo[] {
	return reader.store
		.ofClass("tagInst")
		.flatMap((mo) => (mo.rn === `tag-${tag}` && mo.parent !== null ? [mo.parent] : []));
}

/** Faults that change what a query finds, in the same way on all its pages and in its count. */
function spoilQuery(reader: ReadParts, query: Query, target: string): Query {
	if (query.filter !== null && reader.faults.fire("unknown_literal", target) !== null) {
		throw new ApiError(301, `Incorrect filter format, the value in '${query.filterText}' is not valid`);
	}
	const partial = reader.faults.fire("partial_cluster", target);
	if (partial === null) return query;
	const part = Number(partial.part);
	const { filter } = query;
	const answers = (mo: Mo) =>
		(isSystemClass(mo.shape.cls?.name ?? "") || hashText(getDn(mo)) / 4_294_967_296 >= part) &&
		(filter === null || filter(mo));
	return { ...query, filter: answers, filterText: `${query.filterText} without ${part}` };
}

/** Faults that refuse a query. */
function throwQueryFaults(reader: ReadParts, query: Query, target: string, caller: Caller): void {
	const page = query.page?.at ?? -1;
	if (reader.faults.fire("token_expired_at_page", target, (options) => page >= Number(options.page)) !== null) {
		if (caller.session !== null) reader.sessions.close(caller.session);
		throw buildTokenInvalidError();
	}
	if (reader.faults.fire("too_big", target) !== null) throw buildTooBigError();
	const timeout = reader.faults.fire("resolve_timeout", target);
	if (timeout !== null) throw resolveTimeout(Number(timeout.ms));
}

function subscribeQuery(reader: ReadParts, query: Query, scope: Scope, caller: Caller): string | null {
	if (query.subscription === "no") reader.subscriptions.removeScope(caller.session, scope);
	if (query.subscription !== "yes") return null;
	if (query.refreshTimeout !== null && query.refreshTimeout > LONGEST_SUBSCRIPTION)
		throw buildOptionError("refresh-timeout", String(query.refreshTimeout));
	return reader.subscriptions.add(caller.session, scope, query);
}

/** The count option was seen to be wrong on real controllers while totalCount was right. */
function distortCount(reader: ReadParts, answer: Answer, query: Query, target: string): Answer {
	const [node] = answer.nodes;
	if (!query.include.count || node === undefined) return answer;
	const wrong = reader.faults.fire("mo_count_wrong", target);
	if (wrong === null) return answer;
	const values = node.mo.values.map((count) => String(Math.floor(Number(count) * Number(wrong.factor))));
	return { ...answer, nodes: [{ ...node, mo: { ...node.mo, values, text: null } }] };
}

/** After an upgrade every object has attributes more than before. */
function addAttribute(reader: ReadParts, items: readonly string[], target: string): readonly string[] {
	const added = reader.faults.fire("new_attribute", target);
	if (added === null) return items;
	const text = `"attributes":{${JSON.stringify(added.name)}:${JSON.stringify(String(added.value))},"`;
	return items.map((item) => item.replaceAll('"attributes":{"', text));
}

function findAnswer(reader: ReadParts, scope: Scope, query: Query): Answer {
	const itself = reader.view.itself(scope);
	return itself ?? (reader.view.serves(scope) ? reader.view.show(reader.runner.run(scope, query)) : NOTHING);
}

export function createReader(reader: ReadParts) {
	return function read(request: ApiRequest, { form, format, params }: Target, caller: Caller): ApiResult {
		const scope = getScope(reader, { form, format, params });
		const rootClass =
			scope.kind === "class"
				? scope.cls
				: scope.kind === "mo"
					? (reader.store.get(scope.dn)?.shape.cls?.name ?? null)
					: null;
		const query = spoilQuery(
			reader,
			parseQuery(params, reader.registry, rootClass, reader.clock.now()),
			request.target,
		);
		throwQueryFaults(reader, query, request.target, caller);
		const subscriptionId = subscribeQuery(reader, query, scope, caller);
		// With the cookie doubled, a subscription is answered without objects.
		const muted = subscriptionId !== null && caller.session?.doubled === true;
		const found = muted ? NOTHING : distortCount(reader, findAnswer(reader, scope, query), query, request.target);
		const busy = found.total > 0 && reader.faults.fire("busy", request.target) !== null;
		const nodes = busy ? [] : found.nodes;
		const items = addAttribute(
			reader,
			writeAnswer(format, { ...found, nodes }, query.projection, reader.cache),
			request.target,
		);
		const total = reader.faults.fire("no_total_count", request.target) === null ? found.total : null;
		const logs = [...query.include.facets].some((facet) => facet.endsWith("-logs") || facet.endsWith("-records"));
		return {
			cost: { kind: "query", objects: nodes.length, nested: found.nested, logs, refused: false },
			reply: { status: 200, type: getType(format), body: formatEnvelope(format, { total, subscriptionId }, items) },
		};
	};
}
