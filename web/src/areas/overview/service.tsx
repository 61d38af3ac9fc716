/** The service's status for administrators: its parts, processes, queues and backups. */
import type { ServiceHealth, ServiceStatus } from "@weft/contracts";
import { serviceRoutes } from "@weft/contracts/browser";
import { CircleCheck, CircleMinus, CircleX, RefreshCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatBytes, formatCount, formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Empty, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TestMail } from "./test-mail.tsx";

/** Age of the newest backup above which a warning is shown, in milliseconds. */
const OLD_BACKUP_MS = 7 * 24 * 3_600_000;

export function ServicePage() {
	const answer = useAnswer(serviceRoutes.status, undefined, { every: 30_000 });
	return (
		<>
			<PageHead
				title="Service status"
				crumbs={[{ label: "Administration" }]}
				facts={answer.data && `Weft ${answer.data.version}`}
				actions={
					<>
						<ButtonLink to="/setup">First setup</ButtonLink>
						<CopyAs call={() => ({ route: serviceRoutes.status })} />
						<Button icon={RefreshCw} busy={answer.isFetching} onClick={() => void answer.refetch()}>
							Refresh
						</Button>
					</>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<Loaded answer={answer} lines={10}>
					{(status) => (
						<div className="flex flex-col gap-3">
							<Parts status={status} />
							<Nodes nodes={status.nodes} />
							<div className="grid items-start gap-3 xl:grid-cols-2">
								<Backups backups={status.backups} />
								<Queues queues={status.queues} />
							</div>
						</div>
					)}
				</Loaded>
			</div>
		</>
	);
}

const HEALTH: Readonly<Record<ServiceHealth, { word: string; tone: "ok" | "warn" | "bad" | "neutral" }>> = {
	healthy: { word: "OK", tone: "ok" },
	degraded: { word: "Slow", tone: "warn" },
	down: { word: "Down", tone: "bad" },
	not_configured: { word: "Not configured", tone: "neutral" },
};
const ICONS = { ok: CircleCheck, warn: TriangleAlert, bad: CircleX, neutral: CircleMinus };

interface Part {
	readonly name: string;
	readonly health: ServiceHealth;
	readonly error: string | null;
	readonly detail: ReactNode;
}

function Parts({ status }: { readonly status: ServiceStatus }) {
	const times = useTimes();
	const { store, cache, model, mail, directory, identity_provider } = status;
	const parts: Part[] = [
		{
			...store,
			name: "Store",
			detail: store.version && `PostgreSQL ${store.version}, ${formatBytes(store.size_bytes ?? 0)}`,
		},
		{ ...cache, name: "Cache", detail: null },
		{
			...model,
			name: "Class model",
			detail:
				model.version === null
					? "None is loaded: see Model versions."
					: `${model.version}, loaded ${times.dateTime(model.imported_at ?? "")}`,
		},
		{
			...mail,
			name: "Mail",
			detail: mail.health === "not_configured" ? "Set WEFT_SMTP_URL and WEFT_SMTP_FROM." : <TestMail />,
		},
		{ ...directory, name: "Directory", detail: null },
		{ ...identity_provider, name: "Identity provider", detail: identity_provider.label },
	];
	const columns: Column<Part>[] = [
		{ key: "name", head: "Part", cell: ({ name }) => <span className="font-medium">{name}</span> },
		{
			key: "state",
			head: "State",
			cell: ({ health }) => {
				const { word, tone } = HEALTH[health];
				return (
					<Pill tone={tone} icon={ICONS[tone]}>
						{word}
					</Pill>
				);
			},
		},
		{
			key: "detail",
			head: "Details",
			className: "w-2/3 py-1 [overflow-wrap:anywhere]",
			cell: ({ error, detail }) => error ?? detail ?? "",
		},
	];
	return (
		<Panel title="Parts">
			{mail.health !== "not_configured" && !mail.has_address && (
				<Banner
					tone="warn"
					title="Mails have no links."
					detail="Set WEFT_FRONTEND_URL to the address of this page, so that invitations are mailed."
				/>
			)}
			<Table label="Parts of the service" columns={columns} rows={parts} getKey={({ name }) => name} />
		</Panel>
	);
}

type Node = ServiceStatus["nodes"][number];

function Nodes({ nodes }: Pick<ServiceStatus, "nodes">) {
	const times = useTimes();
	const columns: Column<Node>[] = [
		{
			key: "host",
			head: "Machine",
			cell: ({ host, process_id, is_answering }) => (
				<span className="flex items-center gap-2 whitespace-nowrap">
					{host} <span className="num text-muted">process {process_id}</span>
					{is_answering && <Pill>Answers this page</Pill>}
				</span>
			),
		},
		{ key: "roles", head: "Roles", cell: ({ roles }) => roles.join(", ") },
		{ key: "version", head: "Version", cell: ({ version }) => version },
		{
			key: "started",
			head: "Started",
			cell: ({ started_at }) => <span className="whitespace-nowrap">{times.dateTime(started_at)}</span>,
		},
		{
			key: "seen",
			head: "State",
			cell: ({ is_alive, seen_at }) => (
				<Pill tone={is_alive ? "ok" : "bad"} icon={is_alive ? CircleCheck : CircleX}>
					{is_alive ? "Runs" : `Silent, seen ${times.relative(seen_at)}`}
				</Pill>
			),
		},
	];
	return (
		<Panel
			title="Nodes"
			aside={<span className="text-muted">{formatPlural(nodes.length, "process", "processes")}</span>}
		>
			<Table label="Nodes" columns={columns} rows={nodes} getKey={({ id }) => id} />
		</Panel>
	);
}

type Backup = ServiceStatus["backups"][number];

function Backups({ backups }: Pick<ServiceStatus, "backups">) {
	const times = useTimes();
	const [newest] = backups;
	const columns: Column<Backup>[] = [
		{
			key: "age",
			head: "Made",
			cell: ({ created_at }) => <span title={times.dateTime(created_at)}>{times.relative(created_at)}</span>,
		},
		{ key: "file", head: "File", cell: ({ file_name }) => <span className="mono">{file_name}</span> },
		{ key: "size", head: "Size", align: "right", cell: ({ size_bytes }) => formatBytes(size_bytes) },
		{ key: "rows", head: "Rows", align: "right", cell: ({ row_count }) => formatCount(row_count) },
		{ key: "version", head: "Version", cell: ({ version }) => version },
	];
	return (
		<Panel title="Backups">
			{newest === undefined ? (
				<Empty>
					No backup was made with <code className="mono">npm run admin -- backup FILE</code>. Weft does not know of
					backups made by other means.
				</Empty>
			) : (
				<>
					{Date.now() - Date.parse(newest.created_at) > OLD_BACKUP_MS && (
						<Banner tone="warn" title={`The newest backup was made ${times.relative(newest.created_at)}.`} />
					)}
					<Table label="Backups" columns={columns} rows={backups} getKey={({ created_at }) => created_at} />
				</>
			)}
		</Panel>
	);
}

type Queue = ServiceStatus["queues"][number];

function Queues({ queues }: Pick<ServiceStatus, "queues">) {
	const columns: Column<Queue>[] = [
		{ key: "queue", head: "Queue", cell: ({ queue }) => <span className="mono">{queue}</span> },
		{ key: "waiting", head: "Waiting", align: "right", cell: ({ waiting }) => formatCount(waiting) },
		{ key: "active", head: "Running", align: "right", cell: ({ active }) => formatCount(active) },
	];
	const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
	return (
		<Panel
			title="Queues"
			aside={<span className="text-muted">{formatPlural(waiting, "task waits", "tasks wait")}</span>}
		>
			<Table label="Queues" columns={columns} rows={queues} getKey={({ queue }) => queue} />
		</Panel>
	);
}
