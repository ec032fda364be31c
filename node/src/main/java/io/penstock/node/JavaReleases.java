package io.penstock.node;

/** A range of Java feature releases; both ends belong to it. */
public record JavaReleases(int first, int last) {
    /** This release and every later one. */
    public static JavaReleases from(int first) {
        return new JavaReleases(first, Integer.MAX_VALUE);
    }

    boolean contains(int release) {
        return first <= release && release <= last;
    }

    @Override
    public String toString() {
        return last == Integer.MAX_VALUE ? first + " or newer" : first + " to " + last;
    }
}
