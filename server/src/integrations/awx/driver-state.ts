/** The connections of the driver, and the reading of lists over them. */
import type { AutomationKind } from "@weft/contracts";
import { isObject, type Json } from "./classify.ts";
import { type Connection, createConnection, type Get } from "./connection.ts";
import { AutomationError, type AutomationTarget, type PageRequest } from "./port.ts";
import { buildAutomationCancelledError } from "./transport.ts";

export const PAGE = 200;

const MOST_PAGES = 500;

export const buildTemplatesPath = (kind: AutomationKind): string =>
	kind === "job" ? "job_templates" : "workflow_job_templates";

export const readRows = (body: Json): Json[] => (Array.isArray(body.results) ? body.results.filter(isObject) : []);

/** The connections that are in use, and their settings. */
export interface DriverState {
	readonly onUnverified: ((target: AutomationTarget) => void) | undefined;
	readonly options: Parameters<typeof createConnection>[1];
	readonly byId: Map<string, Connection>;
	/** Connections whose server does not know `limit` of events. */
	readonly unlimited: WeakSet<Connection>;
	closed: boolean;
}

export function getConnection(driver: DriverState, target: AutomationTarget): Connection {
	if (driver.closed) throw buildAutomationCancelledError();
	if (!target.verifyTls) driver.onUnverified?.(target);
	const known = driver.byId.get(target.id);
	if (known?.revision === target.revision) return known;
	const made = createConnection(target, driver.options);
	driver.byId.set(target.id, made);
	if (known) void known.close().catch(() => undefined);
	return made;
}

export async function readPage<Item>(
	driver: DriverState,
	target: AutomationTarget,
	path: string,
	request: PageRequest,
	read: (row: Json) => Item,
) {
	const query = {
		order_by: "name",
		page: request.page,
		page_size: request.pageSize,
		search: request.search || undefined,
	};
	const body = await getConnection(driver, target).json({ path, query });
	return { count: typeof body.count === "number" ? body.count : 0, items: readRows(body).map(read) };
}

/** Every row of a list, page by page; at most `limit` rows. */
export async function readAllPages(
	connection: Connection,
	request: Get,
	limit = Number.POSITIVE_INFINITY,
): Promise<Json[]> {
	const found: Json[] = [];
	for (let at = 1; at <= MOST_PAGES; at++) {
		const body = await connection.json({ ...request, query: { ...request.query, page: at, page_size: PAGE } });
		found.push(...readRows(body));
		if (found.length >= limit) return found.slice(0, limit);
		if (body.next === null || body.next === undefined) return found;
	}
	throw new AutomationError("too_big", `The automation server's list ${request.path} has too many pages.`);
}

export async function readIfFound(connection: Connection, request: Get): Promise<Json | null> {
	return connection.json(request).catch((error: unknown) => {
		if (error instanceof AutomationError && error.kind === "not_found") return null;
		throw error;
	});
}
