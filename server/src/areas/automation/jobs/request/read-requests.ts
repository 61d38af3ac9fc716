/** Automation requests: list, one. */
import type { AutomationRequestDetail, AutomationRequestList } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Identity } from "../../../../core/caller.ts";
import { buildNotFoundError } from "../../../../core/errors.ts";
import { paginateRows } from "../../../../core/http/paging.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { presentDetail, presentRequest } from "../present.ts";
import { findShownRequest, listRequestPage, type ShownRequest } from "../sql/requests.ts";

export const buildRequestTarget = ({ id }: { readonly id: string }) => ({
	targetType: "automation_request",
	targetId: id,
});

export async function findVisibleRequest(ctx: Context, identity: Identity, id: string): Promise<ShownRequest> {
	const row = await findShownRequest(ctx.store.db, identity, id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

export async function readRequestDetail(tx: Tx, identity: Identity, id: string): Promise<AutomationRequestDetail> {
	const row = await findShownRequest(tx.db, identity, id);
	if (row === undefined) throw buildNotFoundError();
	return presentDetail(row, identity);
}

export async function listRequests(ctx: Context, caller: Identity, filter: AutomationRequestList, url: string) {
	const page = await listRequestPage(ctx.store.db, caller, filter);
	return paginateRows(url, filter, page, (row) => presentRequest(row, caller));
}

export async function readRequest(ctx: Context, caller: Identity, id: string): Promise<AutomationRequestDetail> {
	return presentDetail(await findVisibleRequest(ctx, caller, id), caller);
}
