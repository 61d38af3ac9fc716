/** Constants of the model tools. */

export const WAYS = ["contains", "contained_by", "refers_to", "referred_to_by"] as const;

export const CHANGES = ["added", "removed", "changed"] as const;
