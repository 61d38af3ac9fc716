/** Constants of classes and packages of the model. */

/** Nodes of one hierarchy at most; where it is cut, nodes say so. */
export const HIERARCHY_NODES = 5_000;

export const RELATIONS = ["contains", "contained_by", "super_class", "sub_class", "association"] as const;
