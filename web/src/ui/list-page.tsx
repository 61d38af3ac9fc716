/** A page with one list: its title and count, its filters and verbs, and its rows page by page. */
import type { ReactNode } from "react";
import { formatPlural } from "../platform/format.ts";
import { type Crumb, PageHead } from "./page.tsx";
import { PagedList, type PagedListProps } from "./paged-list.tsx";

interface ListPageProps<Row> extends PagedListProps<Row> {
	readonly title: string;
	/** Name of one row. */
	readonly noun: string;
	/** Name of several rows, unless it is the noun with an s. */
	readonly plural?: string;
	readonly crumbs?: readonly Crumb[];
	/** Filters and verbs beside the title. */
	readonly actions: ReactNode;
	/** Between the title and the rows. */
	readonly above?: ReactNode;
}

export function ListPage<Row>({ title, noun, plural, crumbs = [], actions, above, ...list }: ListPageProps<Row>) {
	const { data } = list.answer;
	return (
		<>
			<PageHead
				title={title}
				crumbs={crumbs}
				facts={data && formatPlural(data.count, noun, plural)}
				actions={actions}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{above}
				<PagedList {...list} />
			</div>
		</>
	);
}
