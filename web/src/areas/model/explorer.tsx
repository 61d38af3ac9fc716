/**
 * The class model: tree and search on the left, a class on the right; stacked on narrow screens.
 */
import { getRouteApi, Outlet, useParams } from "@tanstack/react-router";
import { mimRegistryRoutes, mimRoutes } from "@weft/contracts/browser";
import { Boxes, Download, Star } from "lucide-react";
import { useEffect, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Banner, Boundary, Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { useFavorites } from "./favorites.ts";
import { ClassLink, Found, PackageClasses } from "./finder.tsx";
import { ClassTree } from "./tree.tsx";

const route = getRouteApi("/app/model");
const FRESH_MS = 5 * 60_000;

export function ModelPage() {
	const { q = "", type, package: pkg } = route.useSearch();
	const { name } = useParams({ strict: false });
	const navigate = route.useNavigate();
	const favorites = useFavorites();
	/** The search whose first result is opened once it is there. */
	const [entered, setEntered] = useState<string | null>(null);
	const open = (next: string) =>
		void navigate({ to: "/model/$name", params: { name: next }, search: ({ q, type }) => ({ q, type }) });
	return (
		<div className="flex h-full min-h-0 max-lg:block max-lg:h-auto">
			<section
				aria-label="Classes"
				className={joinClasses(
					"flex w-80 shrink-0 flex-col border-line border-r bg-surface max-lg:h-80 max-lg:w-full max-lg:border-r-0 max-lg:border-b",
				)}
			>
				<div className="border-line border-b p-2">
					<SearchField
						value={q}
						label="Search the model"
						placeholder="Class, property, label or DN"
						className="w-full"
						onChange={(text) =>
							void navigate({
								to: ".",
								search: (before) => ({ ...before, q: text || undefined, package: undefined }),
								replace: true,
							})
						}
						onEnter={setEntered}
					/>
				</div>
				{favorites.names.length > 0 && q === "" && pkg === undefined && (
					<nav
						aria-label="Favorite classes"
						className="flex flex-wrap gap-x-3 gap-y-0.5 border-line border-b px-3 py-1.5"
					>
						<Star size={14} className="mt-0.5 text-muted" aria-hidden="true" />
						{favorites.names.map((each) => (
							<ClassLink key={each} name={each} />
						))}
					</nav>
				)}
				<Boundary>
					{q !== "" ? (
						<Found q={q} type={type} openFirst={entered === q} onOpened={() => setEntered(null)} />
					) : pkg !== undefined ? (
						<PackageClasses name={pkg} current={name} />
					) : (
						<div className="min-h-0 flex-1">
							<ClassTree current={name} onOpen={open} />
						</div>
					)}
				</Boundary>
			</section>
			<div className="min-w-0 flex-1 overflow-y-auto">
				<Boundary key={name}>
					<Outlet />
				</Boundary>
			</div>
		</div>
	);
}

/** Shown before a class is selected: the loaded model, or how to load one. */
export function ModelStart() {
	const may = useMay();
	const times = useTimes();
	const stats = useAnswer(mimRoutes.stats, undefined, { staleTime: FRESH_MS });
	const { data: registry } = useAnswer(mimRegistryRoutes.status, undefined, {
		enabled: may("view_modelversion"),
		staleTime: FRESH_MS,
	});
	useEffect(() => {
		if (stats.data?.total_classes === 0 && registry?.active) void stats.refetch();
	}, [stats.data, registry, stats.refetch]);
	const manage = may("view_modelversion") && (
		<ButtonLink icon={Download} to="/settings/model">
			Versions
		</ButtonLink>
	);
	return (
		<>
			<PageHead title="Class model" crumbs={[{ label: "Observe" }]} actions={manage} />
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{registry?.active_import && (
					<Banner
						tone="info"
						title={`${registry.active_import.controller_version} is being imported.`}
						detail="The current model stays in use until the import ends."
						action={manage}
					/>
				)}
				<Loaded answer={stats} lines={3}>
					{({ total_classes, total_properties, packages, relationship_count, label, last_sync }) =>
						total_classes === 0 ? (
							<Empty
								icon={Boxes}
								action={
									may("admin") && (
										<ButtonLink variant="primary" icon={Download} to="/settings/model">
											Import a model
										</ButtonLink>
									)
								}
							>
								No model is loaded. A model describes every class of the controller and lets Weft check queries before
								they run.
							</Empty>
						) : (
							<>
								<dl className="m-0 grid grid-cols-4 gap-3 max-xl:grid-cols-2">
									{(
										[
											["Classes", total_classes],
											["Properties", total_properties],
											["Relations", relationship_count],
											["Packages", packages],
										] as const
									).map(([term, value]) => (
										<div key={term} className="rounded-card border border-line bg-surface px-3 py-2.5">
											<dt className="text-muted">{term}</dt>
											<dd className="num m-0 font-semibold text-figure">{formatCount(value)}</dd>
										</div>
									))}
								</dl>
								<p className="m-0 text-muted">
									Version {label}
									{last_sync && `, loaded ${times.relative(last_sync)}`}. Choose a class in the tree, or search for one
									by its name, its label, or a part of a DN.
								</p>
							</>
						)
					}
				</Loaded>
			</div>
		</>
	);
}
