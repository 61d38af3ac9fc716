/** One entry of the audit log with its document. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { AuditEntry } from "@weft/contracts";
import { auditRoutes } from "@weft/contracts/browser";
import { Filter } from "lucide-react";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatBytes } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { LinkedText } from "../../ui/object-link.tsx";
import { Loaded } from "../../ui/page.tsx";
import { CATEGORY_NAMES } from "./words.ts";

interface EntryViewProps {
	readonly id: string;
	onClose(): void;
	/** Narrows the list to what the entry shares with others. */
	onFilter(change: { username?: string; action?: string; ip?: string; request?: string }): void;
}

export function EntryView({ id, onClose, onFilter }: EntryViewProps) {
	const answer = useAnswer(auditRoutes.detail, { params: { id } }, { staleTime: Number.POSITIVE_INFINITY });
	return (
		<Dialog open side="right" title={`Entry ${id}`} onClose={onClose}>
			<Loaded answer={answer} lines={8}>
				{(entry) => <Details entry={entry} content={entry.content} onFilter={onFilter} />}
			</Loaded>
		</Dialog>
	);
}

interface DetailsProps extends Pick<EntryViewProps, "onFilter"> {
	readonly entry: AuditEntry;
	readonly content: unknown;
}

function Details({ entry, content, onFilter }: DetailsProps) {
	const times = useTimes();
	const { username, action, ip_address, request_id, user_agent, target_type, target_id } = entry;
	const place = findPlace(target_type, target_id);
	const connection = findConnection(entry);
	return (
		<div className="flex flex-col gap-4">
			<p className="m-0 font-medium">
				<LinkedText text={entry.description || action} connection={connection} />
			</p>
			<dl className="m-0 grid grid-cols-[110px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
				<Fact name="When">{times.dateTime(entry.created_at)}</Fact>
				<Fact name="User">
					{username || "-"}
					{username !== "" && <FilterButton label="Entries of this user" onClick={() => onFilter({ username })} />}
				</Fact>
				<Fact name="Category">{CATEGORY_NAMES[entry.category] ?? entry.category}</Fact>
				<Fact name="Action">
					<span className="mono">{action}</span>
					<FilterButton label="Entries with this action" onClick={() => onFilter({ action })} />
				</Fact>
				<Fact name="Target">
					{target_type === "" ? (
						"-"
					) : place ? (
						<Link {...place} className="text-accent-text hover:underline">
							{target_type} {target_id}
						</Link>
					) : (
						<span className="mono">
							{target_type} {target_id}
						</span>
					)}
				</Fact>
				<Fact name="Address">
					<span className="mono">{ip_address === "" ? "-" : (ip_address ?? "unknown")}</span>
					{ip_address && (
						<FilterButton label="Entries from this address" onClick={() => onFilter({ ip: ip_address })} />
					)}
				</Fact>
				<Fact name="Client">{user_agent || "-"}</Fact>
				<Fact name="Request">
					{request_id === "" ? (
						"background work"
					) : (
						<>
							<span className="mono">{request_id}</span>
							<CopyButton text={request_id} label="Copy the request id" />
							<FilterButton label="Entries of this request" onClick={() => onFilter({ request: request_id })} />
						</>
					)}
				</Fact>
			</dl>
			{Object.keys(entry.metadata).length > 0 && (
				<Json title="Details" value={entry.metadata} connection={connection} />
			)}
			{content !== null && content !== undefined ? (
				<Json title="Content" value={content} connection={connection} />
			) : (
				entry.content_size_bytes > 0 && (
					<p className="m-0 text-muted">
						The content of {formatBytes(entry.content_size_bytes)} exceeded the limit and was not stored. Raise the
						limit in the audit settings.
					</p>
				)
			)}
		</div>
	);
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
	return (
		<>
			<dt className="text-muted">{name}</dt>
			<dd className="m-0 flex min-w-0 flex-wrap items-center gap-1.5 break-words">{children}</dd>
		</>
	);
}

function FilterButton({ label, onClick }: { label: string; onClick(): void }) {
	return (
		<button
			type="button"
			aria-label={label}
			data-tip={label}
			className="grid size-6 place-items-center rounded-cell text-muted hover:bg-sunken hover:text-fg"
			onClick={onClick}
		>
			<Filter size={13} aria-hidden="true" />
		</button>
	);
}

interface JsonProps {
	readonly title: string;
	readonly value: unknown;
	/** Id of the fabric's connection, to which DNs lead; null where it is not known. */
	readonly connection: string | null;
}

function Json({ title, value, connection }: JsonProps) {
	const text = JSON.stringify(value, null, 2);
	return (
		<section aria-label={title}>
			<h3 className="m-0 flex items-center gap-2 pb-1 font-semibold text-base">
				{title} <CopyButton text={text} label={`Copy: ${title}`} />
			</h3>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
			<pre className="mono m-0 max-h-96 overflow-auto rounded-control border border-line bg-sunken p-2" tabIndex={0}>
				<LinkedText text={text} connection={connection} />
			</pre>
		</section>
	);
}

/** Id of the fabric's connection that an entry is about; null where it names none, or several. */
function findConnection({ metadata: { connection_ids: ids } }: AuditEntry): string | null {
	return Array.isArray(ids) && ids.length === 1 ? String(ids[0]) : null;
}

/** Where the object of an entry is shown; null where it has no page. */
function findPlace(type: string, id: string): Pick<LinkProps, "to" | "params" | "search"> | null {
	const params = { id } as never;
	switch (type) {
		case "user":
			return { to: "/users/$id", params };
		case "group":
			return { to: "/groups/$id", params };
		case "saved_query":
			return { to: "/builder/$id", params };
		case "scheduled_task":
			return { to: "/schedules/$id", params };
		case "pipeline_execution":
			return { to: "/runs/$id", params };
		case "snapshot":
			return { to: "/time-machine/snapshots/$id", params };
		case "automation_template":
			return { to: "/automation/templates/$id", params };
		case "automation_request":
			return { to: "/automation/requests/$id", params };
		case "automation_execution":
			return { to: "/automation/executions/$id", params };
		default:
			return null;
	}
}
