/** The installed versions of the class model, importing another one, and how far that is. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ModelVersion } from "@weft/contracts";
import { mimRegistryRoutes } from "@weft/contracts/browser";
import { Boxes, Network } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Empty, Loaded, PageHead, Panel } from "../../../ui/page.tsx";
import { Pill, Status } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { ImportPanel } from "./import-panel.tsx";
import { StartImport } from "./start.tsx";

const route = getRouteApi("/app/settings/model");

export function ModelImportPage() {
	const { run } = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const answer = useAnswer(mimRegistryRoutes.status);
	const active = answer.data?.active_import ?? null;
	const watch = (id: string) => void navigate({ search: { run: id }, replace: true });
	// Also shows an import of another user, and keeps it in the URL after its end.
	const activeId = active?.run_id;
	useEffect(() => {
		if (activeId !== undefined) void navigate({ search: { run: activeId }, replace: true });
	}, [activeId, navigate]);
	return (
		<>
			<PageHead
				title="Model versions"
				crumbs={[{ label: "Settings" }]}
				facts={answer.data && (answer.data.loaded_version ? `${answer.data.loaded_version} is in use` : "none in use")}
				actions={
					<>
						<CopyAs call={() => ({ route: mimRegistryRoutes.status })} />
						<ButtonLink icon={Network} to="/model">
							Explorer
						</ButtonLink>
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{run !== undefined && (
					<ImportPanel key={run} id={run} onClose={() => void navigate({ search: {}, replace: true })} />
				)}
				{may("admin") && active === null && answer.data && (
					<StartImport installed={answer.data.history.map(({ version_key }) => version_key)} onStarted={watch} />
				)}
				<Panel title="Installed versions">
					<Loaded answer={answer} lines={4}>
						{({ history }) =>
							history.length === 0 ? (
								<Empty icon={Boxes}>
									No version is installed. The explorer, suggestions in the builder and query checks need one.
								</Empty>
							) : (
								<Installed versions={history} />
							)
						}
					</Loaded>
				</Panel>
			</div>
		</>
	);
}

function Installed({ versions }: { versions: readonly ModelVersion[] }) {
	const times = useTimes();
	const may = useMay();
	const [chosen, setChosen] = useState<ModelVersion | null>(null);
	const activate = useAction(
		(version: ModelVersion) => callRoute(mimRegistryRoutes.activate, { params: { run_id: version.run_id } }),
		{
			stale: ["mim_registry", "mim", "mim_classes", "mim_packages"],
			onSuccess: ({ label }) => showToast(`${label} is in use`),
		},
	);
	const columns: Column<ModelVersion>[] = [
		{
			key: "label",
			head: "Version",
			className: "w-1/3",
			cell: ({ label, run_id }) => (
				<Link
					to="/settings/model"
					search={{ run: run_id }}
					className="block truncate rounded-cell font-medium hover:underline"
				>
					{label}
				</Link>
			),
		},
		{ key: "key", head: "Key", cell: ({ version_key }) => <span className="mono">{version_key}</span> },
		{
			key: "state",
			head: "State",
			cell: ({ is_active, is_available }) =>
				is_active ? (
					<Status status="active" />
				) : is_available ? (
					<Pill>Installed</Pill>
				) : (
					<Pill title="Its content was removed to make room for newer ones">Removed</Pill>
				),
		},
		{ key: "classes", head: "Classes", align: "right", cell: ({ class_count }) => formatCount(class_count) },
		{
			key: "properties",
			head: "Properties",
			align: "right",
			cell: ({ property_count }) => formatCount(property_count),
		},
		{
			key: "at",
			head: "Imported",
			cell: ({ imported_at, imported_by_username }) => (
				<span className="whitespace-nowrap" title={times.dateTime(imported_at)}>
					{times.relative(imported_at)} <span className="text-muted">by {imported_by_username}</span>
				</span>
			),
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (version) =>
				may("admin") &&
				version.is_available &&
				!version.is_active && <Button onClick={() => setChosen(version)}>Use {version.label}</Button>,
		},
	];
	return (
		<>
			<Table
				label="Installed versions"
				columns={columns}
				rows={versions}
				getKey={({ id }) => id}
				isCurrent={({ is_active }) => is_active}
			/>
			<Confirm
				open={chosen !== null}
				title={`Use ${chosen?.label}?`}
				verb="Use this version"
				onConfirm={async () => chosen && activate.mutateAsync(chosen)}
				onClose={() => setChosen(null)}
			>
				<p className="m-0">
					From then on the explorer and the checks of queries know its{" "}
					{formatPlural(chosen?.class_count ?? 0, "class", "classes")}. You can go back at any time.
				</p>
			</Confirm>
		</>
	);
}
