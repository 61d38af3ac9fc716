/** API tokens as a table, with their revocation. */
import { Link } from "@tanstack/react-router";
import type { ApiToken } from "@weft/contracts";
import { apiTokenRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, invalidateAreas } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";

interface TokenTableProps {
	readonly rows: readonly ApiToken[];
	/** The user's own tokens, those of one other account, or those of all. */
	readonly of: "me" | "account" | "all";
}

export function TokenTable({ rows, of }: TokenTableProps) {
	const times = useTimes();
	const [revoking, setRevoking] = useState<ApiToken | null>(null);
	const owner: Column<ApiToken> = {
		key: "owner",
		head: "Owner",
		cell: ({ owner: { id, username } }) => (
			<Link to="/users/$id" params={{ id: String(id) }} className="rounded-cell hover:underline">
				{username}
			</Link>
		),
	};
	const columns: Column<ApiToken>[] = [
		{
			key: "name",
			head: "Name",
			cell: ({ name, prefix }) => (
				<span className="flex min-w-0 max-w-80 items-center gap-2">
					<span className="truncate font-medium" title={name}>
						{name}
					</span>
					<span className="mono text-muted text-xs">{prefix}…</span>
				</span>
			),
		},
		...(of === "all" ? [owner] : []),
		{
			key: "rights",
			head: "Permissions",
			cell: ({ permission_ids, read_only }) => (
				<span className="flex items-center gap-2 whitespace-nowrap">
					{permission_ids !== null
						? `${formatPlural(permission_ids.length, "permission")} selected`
						: of === "me"
							? "All of mine"
							: "All of the owner"}
					{read_only && <Pill tone="accent">Read-only</Pill>}
				</span>
			),
		},
		{
			key: "networks",
			head: "Networks",
			cell: ({ allowed_addresses }) =>
				allowed_addresses === null ? (
					<span className="text-muted">Any</span>
				) : (
					<span className="mono block max-w-44 truncate" title={allowed_addresses.join(", ")}>
						{allowed_addresses.join(", ")}
					</span>
				),
		},
		{ key: "expires", head: "Expires", cell: ({ expires_at }) => <Expiry at={expires_at} /> },
		{
			key: "used",
			head: "Last used",
			cell: ({ last_used_at, last_used_ip }) =>
				last_used_at === null ? (
					<span className="text-muted">Never</span>
				) : (
					<span className="whitespace-nowrap" title={times.dateTime(last_used_at)}>
						{times.relative(last_used_at)} from <span className="mono">{last_used_ip ?? "an unknown address"}</span>
					</span>
				),
		},
		{
			key: "created",
			head: "Created",
			cell: ({ created_at }) => (
				<span className="whitespace-nowrap" title={times.dateTime(created_at)}>
					{times.date(created_at)}
				</span>
			),
		},
		{
			key: "revoke",
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (token) => (
				<Button variant="danger" aria-label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
					Revoke
				</Button>
			),
		},
	];
	return (
		<>
			<Table label="API tokens" columns={columns} rows={rows} getKey={({ id }) => id} />
			<RevokeDialog token={revoking} onClose={() => setRevoking(null)} />
		</>
	);
}

/** @param token null: the dialog is closed */
function RevokeDialog({ token, onClose }: { readonly token: ApiToken | null; onClose(): void }) {
	return (
		<Confirm
			open={token !== null}
			title={`Revoke ${token?.name}?`}
			verb="Revoke the token"
			onClose={onClose}
			onConfirm={async () => {
				await callRoute(apiTokenRoutes.remove, { params: { id: String(token?.id) } });
				showToast(`${token?.name} is revoked`);
				await invalidateAreas("api_tokens");
			}}
		>
			<p className="m-0">
				Programs that use the token <span className="mono">{token?.prefix}…</span> of {token?.owner.username} are
				refused at their next request. A revoked token cannot be restored.
			</p>
		</Confirm>
	);
}

const SOON_MS = 7 * 24 * 3_600_000;

function Expiry({ at }: { at: string | null }) {
	const times = useTimes();
	if (at === null) return <span className="text-muted">Never</span>;
	const left = Date.parse(at) - Date.now();
	if (left <= 0) {
		return (
			<Pill tone="bad" title={times.dateTime(at)}>
				Expired
			</Pill>
		);
	}
	if (left <= SOON_MS) {
		return (
			<Pill tone="warn" title={times.dateTime(at)}>
				{times.relative(at)}
			</Pill>
		);
	}
	return (
		<span className="whitespace-nowrap" title={times.dateTime(at)}>
			{times.date(at)}
		</span>
	);
}
